package import GatewayMetrics

/// What became of the messages of one virtual device, counted since metering began.
public struct MessageCounts: Sendable, Hashable {
    /// Where a message came in.
    public enum Leg: String, Sendable, Hashable, CaseIterable {
        /// From a sender.
        case north
        /// From what stands behind the virtual device.
        case south
        /// From a plugin, a bridge or the API.
        case `internal`
        /// To or from an app, by the gateway's own session with a real device.
        case own
    }

    /// What became of a message.
    public enum Disposition: String, Sendable, Hashable, CaseIterable {
        /// It went on to the peer.
        case forwarded
        /// A handler answered it.
        case replied
        /// A handler took it, and its sender gets no answer.
        case handled
        /// It was refused.
        case rejected
        /// It was discarded.
        case dropped
        /// It waited behind a deferred message, or was deferred itself, when its sender or the device went away.
        case abandoned
    }

    /// Where messages came in, and which way they travelled.
    public struct Way: Sendable, Hashable {
        /// Where they came in.
        public let leg: Leg
        /// Which way they travelled.
        public let direction: MessageDirection
    }

    /// What messages are told apart by.
    public struct Key: Sendable, Hashable {
        /// The way.
        public let way: Way
        /// The claim that the namespace falls under, or `other`.
        public let namespace: String
        /// What became of the message.
        public let disposition: Disposition
    }

    /// A handler and the phase in which it was to be asked.
    public struct HandlerCall: Sendable, Hashable {
        /// The handler's name.
        public let handler: String
        /// The phase of its claim.
        public let phase: RoutingPhase
    }

    /// How many messages there were.
    public internal(set) var messages: [Key: Int] = [:]
    /// How many bytes their payloads had.
    public internal(set) var bytes: [Way: Int] = [:]
    /// How long handlers took, by the phase of their claim.
    package internal(set) var durations: [RoutingPhase: HistogramCounts] = [:]
    /// Messages refused since too many waited in their flow.
    public internal(set) var flowsFull = 0
    /// Messages that waited in a flow when it was closed.
    public internal(set) var flowsClosed = 0
    /// Calls of handlers that failed.
    public internal(set) var failures = 0
    /// Calls that were not made since the handler kept failing.
    public internal(set) var suspended: [HandlerCall: Int] = [:]

    /// Nothing yet.
    public init() {}

    /// Adds what another device, or an earlier one, has counted.
    public static func += (left: inout MessageCounts, right: MessageCounts) {
        left.messages.merge(right.messages, uniquingKeysWith: +)
        left.bytes.merge(right.bytes, uniquingKeysWith: +)
        left.durations.merge(right.durations, uniquingKeysWith: +)
        left.flowsFull += right.flowsFull
        left.flowsClosed += right.flowsClosed
        left.failures += right.failures
        left.suspended.merge(right.suspended, uniquingKeysWith: +)
    }
}
