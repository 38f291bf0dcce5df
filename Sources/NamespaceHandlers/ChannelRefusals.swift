import Synchronization

/// Which rule of a channel kept a message out.
public enum ChannelRule: String, Hashable, Sendable, CaseIterable {
    /// The payload is of another format.
    case format
    /// The payload is too large.
    case size
    /// Too many messages came in a second.
    case rate
    /// The channel takes nothing by this way.
    case accept
    /// Too much waits for the back end.
    case full
    /// The app does not run, and the message was not kept.
    case absent
}

/// Counts what channels did not take, by the namespace that the configuration gives the channel; messages that are taken cost nothing.
public final class ChannelRefusals: Sendable {
    /// A channel and its rule.
    public struct Key: Hashable, Sendable {
        /// As the configuration has it.
        public let namespace: String
        /// What kept messages out.
        public let rule: ChannelRule
    }

    private let state = Mutex<[Key: Int]>([:])

    /// Starts with none.
    public init() {}

    /// Counts a message.
    public func count(_ rule: ChannelRule, in namespace: String) {
        self.state.withLock { $0[Key(namespace: namespace, rule: rule), default: 0] += 1 }
    }

    /// How many there were.
    public var counts: [Key: Int] { self.state.withLock { $0 } }
}
