import CastWire
import GatewayCore
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import Synchronization

/// Reads the journal for one destination of the outbox, and has the events that it wants delivered.
///
/// It runs on an event loop of its own choosing: the journal wakes it, it takes what there is, and goes on when it is woken again. State
/// that was there before it began is not told; what happens from then on is, each event once.
final class EventForwarder: Sendable {
    private struct State {
        var feed: (any EventFeed)?
        var position: JournalPosition?
        var isEnded = false
    }

    private static let bytesAtOnce = 256 << 10

    let destination: String
    let types: [String]
    private let devices: [DevicePattern]?
    private let address: @Sendable (_ type: String, _ device: String?) -> String?
    private let outbox: Outbox
    private let source: any EventSource
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - destination: where events go.
    ///   - types: which ones, with `*` for any number of characters.
    ///   - devices: of which devices; nil for all events, also those of no device.
    ///   - address: where an event goes within the destination, such as a topic.
    init(
        to destination: String, types: [String], devices: [DevicePattern]? = nil, outbox: Outbox,
        source: any EventSource, eventLoop: any EventLoop,
        logger: Logger, address: @escaping @Sendable (_ type: String, _ device: String?) -> String? = { _, _ in nil }
    ) {
        self.destination = destination
        self.types = types
        self.devices = devices
        self.outbox = outbox
        self.source = source
        self.eventLoop = eventLoop
        self.logger = logger
        self.address = address
    }

    /// Begins to read, or goes on where it was.
    func begin() {
        let topics = EventTopics(self.types.map { EventTopics.Topic(type: DevicePattern($0)) })
        let caller = Caller(
            name: self.destination, scopes: Set(OperationScope.allCases), devices: self.devices)
        let position = self.state.withLock { $0.position }
        let feed = try? self.source.subscribe(to: topics, from: position, for: caller) { [weak self] in
            guard let self else { return }
            self.eventLoop.execute { self.read() }
        }
        self.state.withLock { $0.feed = feed }
        self.eventLoop.execute { self.read() }
    }

    func end() {
        let feed = self.state.withLock { state in
            state.isEnded = true
            defer { state.feed = nil }
            return state.feed
        }
        feed?.cancel()
    }

    private func read() {
        guard let feed = self.state.withLock({ $0.isEnded ? nil : $0.feed }) else { return }
        let frames = feed.take(upTo: Self.bytesAtOnce)
        var lost = 0
        for frame in frames {
            if let position = frame.position { self.state.withLock { $0.position = position } }
            switch frame.kind {
            case .event: if !self.forward(frame) { lost += 1 }
            case .gap: lost += 1
            case .hello, .snapshot, .synced, .bookmark, .coalesced, .resync: break
            }
        }
        if lost > 0 {
            self.logger.warning(
                "Events were lost on their way to a bridge",
                metadata: ["bridge": "\(self.destination)", "count": .stringConvertible(lost)])
        }
        if !frames.isEmpty { return self.eventLoop.execute { self.read() } }
        if let end = feed.end, end.reason != "stopping" {
            self.state.withLock { $0.position = end.position }
            self.begin()
        }
    }

    /// Has one event delivered.
    /// - Returns: false when it was not taken.
    private func forward(_ frame: JournalFrame) -> Bool {
        guard let json = try? JSONReader.read(frame.bytes), let event = json.objectValue,
            let type = event.string("type"),
            let body = BridgedEvent.body(ofFrame: event)
        else { return false }
        // What happens to a bridge is no news for itself: it would be told of each failure by one more message.
        if type.hasPrefix("bridge."), event.object("data")?.string("bridge") == self.destination { return true }
        let device = event.string("device")
        do {
            try self.outbox.take([
                OutboxDraft(
                    to: self.destination, device: device, type: type, takenAt: self.outbox.clock.wall(),
                    address: self.address(type, device), size: body.readableBytes, body: { body })
            ])
            return true
        } catch {
            return false
        }
    }
}
