import Synchronization

/// Counts of the links to all real devices since the gateway began.
package struct LinkCounts: Sendable, Hashable {
    /// The number of times that a device answered on a new channel.
    package fileprivate(set) var online = 0
    /// The number of addresses that were tried in vain.
    package fileprivate(set) var failed = 0
    /// Channels that stand again, by what ended the one before: `closed_by_device`, `moved`, or a label of `TransportError`.
    package fileprivate(set) var reconnects: [String: Int] = [:]
}

/// Counts over all links, for callers on any thread.
final class LinkCounter: Sendable {
    private let state = Mutex(LinkCounts())

    var counts: LinkCounts { self.state.withLock { $0 } }

    /// Counts an answer on a new channel.
    /// - Parameter lost: what ended its channel before; nil when it had none.
    func online(after lost: String?) {
        self.state.withLock { counts in
            counts.online += 1
            if let lost { counts.reconnects[lost, default: 0] += 1 }
        }
    }

    func failed() {
        self.state.withLock { $0.failed += 1 }
    }
}
