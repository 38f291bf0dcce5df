/// The state of discovery: how it begins, ends and is kept from working.
struct DiscoveryLifecycle {
    enum Event: Hashable {
        case start
        case stop
        case browsing
        case blocked(reason: String)
    }

    enum Action: Hashable {
        case open
        case close
        case tellStarted
        case tellStopped
        case tellBlocked(reason: String)
    }

    private(set) var state = DiscoveryState.stopped

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .start:
            guard self.state == .stopped else { return [] }
            self.state = .starting
            return [.open]
        case .stop:
            guard self.state != .stopped else { return [] }
            let wasTold = self.state != .starting
            self.state = .stopped
            return [.close] + (wasTold ? [.tellStopped] : [])
        case .browsing:
            guard self.state != .stopped, self.state != .running else { return [] }
            self.state = .running
            return [.tellStarted]
        case .blocked(let reason):
            let blocked = DiscoveryState.blocked(reason: reason)
            guard self.state != .stopped, self.state != blocked else { return [] }
            self.state = blocked
            return [.tellBlocked(reason: reason)]
        }
    }
}

package enum DiscoveryState: Hashable, Sendable {
    case stopped
    case starting
    case running
    /// They would be, but for this reason.
    case blocked(reason: String)

    package var isActive: Bool { self != .stopped }

    package var name: String {
        switch self {
        case .stopped: "stopped"
        case .starting: "starting"
        case .running: "running"
        case .blocked: "blocked"
        }
    }
}
