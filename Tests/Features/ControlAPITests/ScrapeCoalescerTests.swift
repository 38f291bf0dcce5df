import CastwayTestSupport
import GatewayMetrics
import NIOCore
import Synchronization
import Testing

@testable import ControlAPI

/// How many scrapes are made of those that are asked for.
@Suite(.timeLimit(.minutes(1))) struct ScrapeCoalescerTests {
    /// Counts the scrapes that are made; each ends when it is told to.
    private final class Collector: Sendable {
        let begun = Inbox<Bool>()
        let open = Inbox<Bool>()
        private let made = Mutex(0)
        var count: Int { self.made.withLock { $0 } }

        func collect(waits: Bool) async {
            self.made.withLock { $0 += 1 }
            self.begun.put(true)
            if waits { _ = await self.open.next() }
        }
    }

    private func desk(_ collector: Collector, waits: Bool = false) -> ScrapeCoalescer {
        let metrics = MetricsRegistry()
        metrics.add {
            await collector.collect(waits: waits)
            var family = MetricFamily(.scrapeTimeouts)
            family.add([], Double(collector.count))
            return [family]
        }
        return ScrapeCoalescer(metrics)
    }

    @Test func scrapesAtOnceAreOne() async {
        let collector = Collector()
        let desk = self.desk(collector, waits: true)
        await withTaskGroup(of: String.self) { group in
            group.addTask { await desk.text(.prometheus) }
            _ = await collector.begun.next()
            let waiting = (0..<5).map { _ in Inbox<Bool>() }
            for one in waiting {
                group.addTask {
                    one.put(true)
                    return await desk.text(.prometheus)
                }
            }
            for one in waiting { _ = await one.next() }
            // However many of them wait already, no second one is made before the first has ended.
            #expect(collector.count == 1)
            for _ in 0..<6 { collector.open.put(true) }
            for await text in group { #expect(text.contains("castway_scrape_timeouts_total 1\n")) }
        }
    }

    @Test func scrapesThatComeTooOftenGetTheLastText() async {
        let collector = Collector()
        let desk = self.desk(collector)
        let start = NIODeadline.now()
        for _ in 0..<300 { _ = await desk.text(.prometheus, at: start) }
        #expect(collector.count == 20)
        // Of another format there is no text yet.
        _ = await desk.text(.openMetrics, at: start)
        #expect(collector.count == 21)
        for _ in 0..<10 { _ = await desk.text(.prometheus, at: start + .seconds(1)) }
        #expect((22...23).contains(collector.count))
    }
}
