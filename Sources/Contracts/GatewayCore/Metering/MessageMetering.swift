import NIOCore
import Synchronization
import SystemPrimitives

/// Has routers count their messages, and fetches what they have counted. Routers without one count nothing.
///
/// What a router has counted stays when its device goes, so that sums never go back.
public final class MessageMetering: Sendable, Hashable {
    private struct Running {
        let id: ObjectIdentifier
        let meter: NIOLoopBound<MessageMeter>
    }

    private struct State {
        var meters: [Running] = []
        /// What devices that are gone have counted, by their names.
        var retired: [String: MessageCounts] = [:]
    }

    /// How many devices that are gone are told apart; those of further names are counted together under no name.
    private static let maximumRetired = 1000

    private let state = Mutex(State())

    /// Starts without routers.
    public init() {}

    /// What each virtual device's router has counted, by the device's name.
    /// - Parameter limit: how long event loops have to answer.
    /// - Returns: also how many event loops did not; what they know is missing.
    public func counts(within limit: Duration) async -> (devices: [String: MessageCounts], silentLoops: Int) {
        let (meters, retired) = self.state.withLock { ($0.meters, $0.retired) }
        let loops = Dictionary(grouping: meters.map(\.meter)) { ObjectIdentifier($0.eventLoop) }
        let survey = await LoopSurvey(of: loops.values.map { $0[0].eventLoop }, within: limit) { eventLoop in
            (loops[ObjectIdentifier(eventLoop)] ?? []).map { ($0.value.device, $0.value.counts) }
        }
        var devices = retired
        for (device, counts) in survey.answers.joined() { devices[device, default: MessageCounts()] += counts }
        return (devices, survey.silentCount)
    }

    /// Makes the meter of a router; call it on the router's event loop.
    func makeMeter(
        device: String, leg: MessageLeg, registry: HandlerRegistry, on eventLoop: any EventLoop
    ) -> MessageMeter {
        let meter = MessageMeter(device: device, leg: leg, registry: registry)
        let bound = NIOLoopBound(meter, eventLoop: eventLoop)
        self.state.withLock { $0.meters.append(Running(id: ObjectIdentifier(meter), meter: bound)) }
        return meter
    }

    /// Keeps what a meter has counted, which counts nothing more; call it on its event loop.
    func retire(_ meter: MessageMeter) {
        let counts = meter.counts
        let id = ObjectIdentifier(meter)
        self.state.withLock { state in
            guard state.meters.contains(where: { $0.id == id }) else { return }
            state.meters.removeAll { $0.id == id }
            let isKnown = state.retired[meter.device] != nil || state.retired.count < Self.maximumRetired
            state.retired[isKnown ? meter.device : "", default: MessageCounts()] += counts
        }
    }

    /// True for the same object.
    public static func == (left: MessageMetering, right: MessageMetering) -> Bool { left === right }

    /// Hashes the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
