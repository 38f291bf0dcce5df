package import NIOCore

/// Decides when to ping and when to give a peer up (protocol notes, 4).
///
/// Holds no timer and no channel: its owner passes instants in and carries out the action that it gets back.
package struct Heartbeat: Sendable {
    /// Which end of the channel this is.
    package enum Role: Sendable, Hashable {
        /// Towards senders: PING at every interval, as devices do, once the sender has spoken.
        case receiver
        /// Towards a device: PING after an interval of silence.
        case sender
    }

    /// What the owner does.
    package enum Action: Sendable, Hashable {
        /// Nothing until then.
        case wait(until: NIODeadline)
        /// Sends PING, then nothing until then.
        case ping(then: NIODeadline)
        /// Closes: the peer has been silent for too long.
        case close
    }

    /// How often to ping, and how long silence is borne.
    package struct Settings: Sendable, Hashable {
        /// The time between two PINGs.
        package var interval: TimeAmount
        /// Silence after which the peer is given up; longer than the interval.
        package var timeout: TimeAmount

        package init(interval: TimeAmount, timeout: TimeAmount) {
            self.interval = interval
            self.timeout = timeout
        }
    }

    private let role: Role
    private let settings: Settings
    private var lastHeard: NIODeadline
    private var lastPing: NIODeadline
    private var isOpen: Bool

    /// Starts at the moment when the channel is ready. A receiver stays silent until ``open()``.
    package init(role: Role, settings: Settings, at now: NIODeadline) {
        self.role = role
        self.settings = settings
        self.lastHeard = now
        self.lastPing = now
        self.isOpen = role == .sender
    }

    /// The peer said something whole.
    package mutating func heardPeer(at now: NIODeadline) {
        self.lastHeard = now
    }

    /// The peer may be spoken to: device authentication was answered, or it began without.
    ///
    /// Chromium gives a channel up when anything precedes the authentication reply (protocol notes, 2.4).
    package mutating func open() {
        self.isOpen = true
    }

    /// When the peer is given up unless it speaks before.
    var givesUpAt: NIODeadline { self.lastHeard + self.settings.timeout }

    /// The next step; call it when the time of the last one has come.
    package mutating func timerFired(at now: NIODeadline) -> Action {
        let deadline = self.givesUpAt
        if now >= deadline { return .close }
        let silenceBegan = self.role == .receiver ? self.lastPing : max(self.lastHeard, self.lastPing)
        let nextPing = silenceBegan + self.settings.interval
        guard now >= nextPing else { return .wait(until: min(nextPing, deadline)) }
        self.lastPing = now
        let next = min(now + self.settings.interval, deadline)
        return self.isOpen ? .ping(then: next) : .wait(until: next)
    }
}
