import NIOCore

/// When the gateway goes to the background, part by part, and what brings it back. Knows no clock.
struct BackgroundStateMachine {
    /// What the owner does, in this order.
    enum Action: Equatable {
        /// Suspends the gateway's own sessions.
        case suspendSessions
        /// Searches for devices no more.
        case stopDiscovery
        /// Resumes the sessions that were suspended so.
        case resumeSessions
        /// Searches for devices again.
        case startDiscovery
    }

    /// After which time without use something happens; nil for never.
    struct Times: Equatable {
        var suspend: TimeAmount?
        var stopDiscovery: TimeAmount?
    }

    private var hasSuspended = false
    private var hasStopped = false
    /// Whether an earlier run may have left sessions suspended.
    private var mayHaveLeft: Bool

    /// - Parameter mayHaveLeft: whether an earlier run may have left sessions suspended.
    init(mayHaveLeft: Bool) {
        self.mayHaveLeft = mayHaveLeft
    }

    /// Whether users have to bring something back.
    var isAway: Bool { self.hasSuspended || self.hasStopped || self.mayHaveLeft }

    /// Time has passed.
    /// - Parameter unused: for how long nothing has used the gateway; nil while something does.
    mutating func passed(unused: TimeAmount?, _ times: Times) -> [Action] {
        guard let unused else { return self.used() }
        var actions: [Action] = []
        if let limit = times.suspend {
            if unused >= limit, !self.hasSuspended {
                self.hasSuspended = true
                actions.append(.suspendSessions)
            }
        } else if self.hasSuspended {
            self.hasSuspended = false
            actions.append(.resumeSessions)
        }
        if let limit = times.stopDiscovery {
            if unused >= limit, !self.hasStopped {
                self.hasStopped = true
                actions.append(.stopDiscovery)
            }
        } else if self.hasStopped {
            self.hasStopped = false
            actions.append(.startDiscovery)
        }
        return actions
    }

    /// Something uses the gateway.
    mutating func used() -> [Action] {
        var actions: [Action] = []
        if self.hasStopped { actions.append(.startDiscovery) }
        if self.hasSuspended || self.mayHaveLeft { actions.append(.resumeSessions) }
        (self.hasSuspended, self.hasStopped, self.mayHaveLeft) = (false, false, false)
        return actions
    }
}
