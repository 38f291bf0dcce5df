import NIOCore

/// Decides how the gateway connects and reconnects to its broker: knows no socket and no clock.
///
/// An attempt has to have its subscriptions in time. Between attempts it waits twice as long as before, up to a minute, and a part of
/// that more, so that gateways do not come back all at once; a connection that held for a while begins anew. What only an operator can
/// put right, such as a wrong password, is tried once a minute.
struct MQTTLinkStateMachine: Sendable {
    /// Time limits and pauses.
    struct Times: Sendable {
        var firstWait = TimeAmount.seconds(1)
        var longestWait = TimeAmount.seconds(60)
        /// The time an attempt may take until the subscriptions stand.
        var attempt = TimeAmount.seconds(20)
        /// After so long a connection counts as one that works.
        var proof = TimeAmount.seconds(30)
        var farewell = TimeAmount.seconds(2)
    }

    enum Event: Sendable {
        case begin
        case accepted
        case subscribed
        /// The attempt has failed, or the connection is lost.
        case lost(MQTTReason, random: Double)
        /// The instant of ``MQTTLinkStateMachine/deadline`` has come.
        case timeout(random: Double)
        case stop
        /// The farewell is said, or there is none.
        case farewellSaid
    }

    enum Action: Sendable, Hashable {
        case connect
        case subscribe
        case open
        /// Give the connection up; it was open or not. What is under way on it is lost.
        case close(MQTTReason, wasOpen: Bool, retryAfter: TimeAmount)
        /// Publish `offline` and disconnect.
        case sayFarewell
        case end
    }

    private enum State: Hashable {
        case idle
        case connecting(until: NIODeadline)
        case subscribing(until: NIODeadline)
        case open(since: NIODeadline)
        case waiting(until: NIODeadline)
        case leaving(until: NIODeadline)
        case ended
    }

    private var state = State.idle
    private var failures = 0
    private let times: Times

    init(times: Times = Times()) {
        self.times = times
    }

    /// The time when ``Event/timeout(random:)`` is due; nil for never.
    var deadline: NIODeadline? {
        switch self.state {
        case .connecting(let until), .subscribing(let until), .waiting(let until), .leaving(let until): until
        case .idle, .open, .ended: nil
        }
    }

    /// True if there is a connection, or an attempt at one.
    var isConnected: Bool {
        switch self.state {
        case .connecting, .subscribing, .open, .leaving: true
        case .idle, .waiting, .ended: false
        }
    }

    var isOpen: Bool { if case .open = self.state { true } else { false } }

    /// Takes an event.
    mutating func receive(_ event: Event, at now: NIODeadline) -> Action? {
        switch (event, self.state) {
        case (.begin, .idle), (.timeout, .waiting):
            self.state = .connecting(until: now + self.times.attempt)
            return .connect
        case (.accepted, .connecting(let until)):
            self.state = .subscribing(until: until)
            return .subscribe
        case (.subscribed, .subscribing):
            self.state = .open(since: now)
            return .open
        case (.lost(let reason, let random), .connecting), (.lost(let reason, let random), .subscribing):
            return self.fail(reason, random, wasOpen: false, at: now)
        case (.timeout(let random), .connecting), (.timeout(let random), .subscribing):
            return self.fail(.timeout("the broker does not answer"), random, wasOpen: false, at: now)
        case (.lost(let reason, let random), .open(let since)):
            if now - since >= self.times.proof { self.failures = 0 }
            return self.fail(reason, random, wasOpen: true, at: now)
        case (.stop, .open):
            self.state = .leaving(until: now + self.times.farewell)
            return .sayFarewell
        case (.stop, .idle), (.stop, .connecting), (.stop, .subscribing), (.stop, .waiting), (.farewellSaid, .leaving),
            (.lost, .leaving), (.timeout, .leaving):
            self.state = .ended
            return .end
        case (.begin, _), (.accepted, _), (.subscribed, _), (.lost, _), (.timeout, _), (.stop, _), (.farewellSaid, _):
            return nil
        }
    }

    private mutating func fail(
        _ reason: MQTTReason, _ random: Double, wasOpen: Bool, at now: NIODeadline
    ) -> Action {
        self.failures = min(self.failures + 1, 16)
        let (first, longest) = (self.times.firstWait.nanoseconds, self.times.longestWait.nanoseconds)
        let wait = reason.isLasting ? longest : min(longest, first << Int64(self.failures - 1))
        let more = Int64(Double(wait) / 4 * min(max(random, 0), 1))
        let pause = TimeAmount.nanoseconds(wait + more)
        self.state = .waiting(until: now + pause)
        return .close(reason, wasOpen: wasOpen, retryAfter: pause)
    }
}
