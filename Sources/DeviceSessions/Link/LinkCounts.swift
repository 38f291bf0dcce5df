import Synchronization

/// How the links to all real devices fared since the gateway began.
public struct LinkCounts: Sendable, Hashable {
    /// How often a device answered on a new channel.
    public fileprivate(set) var online = 0
    /// How many addresses were tried in vain.
    public fileprivate(set) var failed = 0
    /// Channels that stand again, by what ended the one before: `closed_by_device`, `moved`, or a label of `TransportError`.
    public fileprivate(set) var reconnects: [String: Int] = [:]
}

/// Counts over all links, for callers on any thread.
final class LinkCounter: Sendable {
    private let state = Mutex(LinkCounts())

    var counts: LinkCounts { self.state.withLock { $0 } }

    /// A device answered.
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
