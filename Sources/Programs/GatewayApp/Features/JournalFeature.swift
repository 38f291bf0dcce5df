import CastTransport
import ControlAPI
import FeatureContract
import GatewayCore
import GatewayJournal
import GatewayMetrics
import GatewaySettings

/// The journal: numbers and keeps everything that happens, for readers on every way in.
///
/// It records from the first moment, and stops before the admin listener does, so that readers learn that the gateway ends.
final class JournalFeature: GatewayFeature {
    let name = "journal"
    /// Where ways in get events from.
    var journal: any EventSource { PresentEvents(source: self.eventJournal, presence: self.context.presence) }
    let eventJournal: EventJournal
    private let context: GatewayContext

    init(_ context: GatewayContext) {
        self.context = context
        var limits = context.configuration.current.api.events.limits
        limits.readersBudget = PeerBudget.ofProcess.share(of: .events)
        self.eventJournal = EventJournal(
            events: context.events, limits: limits,
            logger: context.makeLogger("Journal"))
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        self.eventJournal.attach()
        return [StagedService(.begun, JournalService(self.eventJournal))]
    }

    func metrics(for scrape: MetricsScrape) -> [MetricFamily] {
        let counts = self.eventJournal.counts
        var events = MetricFamily(.journalEvents)
        events.add(["state"], Double(counts.states))
        events.add(["log"], Double(counts.logs))
        events.add(["lost"], Double(counts.lost))
        var skips = MetricFamily(.journalSkips)
        skips.add(["coalesced"], Double(counts.coalesced))
        skips.add(["left_out"], Double(counts.leftOut))
        skips.add(["gap"], Double(counts.gaps))
        return [events, skips, MetricFamily(.journalResyncs, Double(counts.resyncs))]
    }

    func close() async {
        // A gateway that did not start never ran the service.
        self.context.events.setRecorder(nil)
    }
}
