import Synchronization

/// The rule of a channel that kept a message out.
package enum ChannelRule: String, Hashable, Sendable, CaseIterable {
    case format
    case size
    /// Too many messages came in a second.
    case rate
    case accept
    /// Too much waits for the back end.
    case full
    /// The app does not run, and the message was not kept.
    case absent
}

/// Counts what channels did not take, by the namespace that the configuration gives the channel; messages that are taken cost nothing.
package final class ChannelRefusals: Sendable {
    package struct Key: Hashable, Sendable {
        /// The namespace as the configuration has it.
        package let namespace: String
        package let rule: ChannelRule
    }

    private let state = Mutex<[Key: Int]>([:])

    package init() {}

    package func count(_ rule: ChannelRule, in namespace: String) {
        self.state.withLock { $0[Key(namespace: namespace, rule: rule), default: 0] += 1 }
    }

    package var counts: [Key: Int] { self.state.withLock { $0 } }
}
