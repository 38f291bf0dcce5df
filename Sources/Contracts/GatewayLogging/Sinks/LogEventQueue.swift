import CastWire
import GatewayCore
import Logging
import NIOCore
import Synchronization

/// Makes the event `log.record` of records, so many a second, and never where the record was made: what is logged while the gateway holds
/// something does not wait for the readers of events.
///
/// What the way of events to their readers logs is left out, since each line would cause the next.
final class LogEventQueue: Sendable {
    typealias Target = @Sendable (GatewayEvent) -> Void

    private struct State {
        var target: Target?
        var isWanted: (@Sendable () -> Bool)?
        var eventLoop: (any EventLoop)?
        var waiting: [GatewayEvent] = []
        var windowBegan = NIODeadline.uptimeNanoseconds(0)
        var inWindow = 0
        /// How many were left out since the last one.
        var leftOut = 0
    }

    /// How many are told in a second.
    static let recordsPerSecond = 500
    /// How many wait at most.
    private static let maximumWaiting = 1000
    /// The components that events go through.
    static let silent: Set<String> = ["Journal", "Outbox", "Bridges"]

    private let state = Mutex(State())
    private let now: @Sendable () -> NIODeadline

    init(now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.now = now
    }

    /// Publishes records from now on; nil for none.
    /// - Parameters:
    ///   - eventLoop: where they are published.
    ///   - isWanted: whether there is a reader; asked for each record.
    func attach(
        _ target: Target?, on eventLoop: (any EventLoop)? = nil, isWanted: (@Sendable () -> Bool)? = nil
    ) {
        self.state.withLock { state in
            state = State(target: target, isWanted: isWanted, eventLoop: eventLoop)
        }
    }

    func write(_ record: LogRecord, origin: LogConfiguration.Origin) {
        guard !Self.silent.contains(record.component) else { return }
        guard let isWanted = self.state.withLock({ $0.isWanted }), isWanted() else { return }
        let now = self.now()
        let eventLoop = self.state.withLock { state -> (any EventLoop)? in
            guard state.target != nil else { return nil }
            if now - state.windowBegan >= .seconds(1) { (state.windowBegan, state.inWindow) = (now, 0) }
            guard state.inWindow < Self.recordsPerSecond, state.waiting.count < Self.maximumWaiting else {
                state.leftOut += 1
                return nil
            }
            state.inWindow += 1
            state.waiting.append(record.event(origin, leftOut: state.leftOut))
            state.leftOut = 0
            return state.waiting.count == 1 ? state.eventLoop : nil
        }
        eventLoop?.execute { self.publish() }
    }

    private func publish() {
        let (target, events) = self.state.withLock { state in
            defer { state.waiting = [] }
            return (state.target, state.waiting)
        }
        for event in events { target?(event) }
    }
}

extension LogRecord {
    /// The longest message of an event, in characters.
    private static let maximumMessage = 4096
    /// The most that the fields of an event may be as JSON, in bytes.
    private static let maximumFields = 16_384

    fileprivate func event(_ origin: LogConfiguration.Origin, leftOut: Int) -> GatewayEvent {
        var facts: JSONObject = [
            "level": .string(self.level.rawValue), "component": .string(self.component),
            "message": .string(String(self.message.prefix(Self.maximumMessage))), "time": .string(self.instant.utcText),
        ]
        let fields = JSONObject(self.fields.map { ($0.name, $0.value) })
        if !self.fields.isEmpty, JSONValue.object(fields).text.utf8.count <= Self.maximumFields {
            facts["fields"] = .object(fields)
        }
        if origin != .none, let place = self.origin {
            facts["function"] = .string(place.function)
            if origin != .function { facts["location"] = .string(place.location) }
        }
        if leftOut > 0 { facts["left_out"] = .number(leftOut) }
        return .logRecord(facts)
    }
}
