import CastWire
import NIOCore

/// A ``Heartbeat`` that is woken in time, and the end of PING and PONG.
///
/// How it works: every message of the channel passes ``received(_:at:)`` before its owner sees it. That notes that the peer
/// lives, and answers PING on the spot, so no handler can delay a heartbeat (rule 2 of the router). When to send PING and when
/// to give the peer up is decided by the state machine ``Heartbeat``; this class only keeps time for it. PINGs of many
/// channels share the timer of a ``HeartbeatClock`` and may be a little late; the moment at which a peer is given up is exact
/// and has a timer of its own. More PINGs than any sender sends close the channel.
final class HeartbeatTimer {
    /// What becomes of a message.
    enum Verdict {
        case notHeartbeat
        case answer(CastMessage)
        case swallow
        case close(TransportError)
    }

    /// What the channel's owner does.
    private struct Owner {
        let ping: (CastMessage) -> Void
        let giveUp: () -> Void
        let eventLoop: any EventLoop
        let clock: HeartbeatClock
    }

    private let role: Heartbeat.Role
    private let settings: Heartbeat.Settings
    private let clocks: HeartbeatClocks
    private var heartbeat: Heartbeat?
    /// Set from the start to the stop.
    private var owner: Owner?
    /// For what cannot wait until the clock's next tick.
    private var timer: Scheduled<Void>?
    private var flood = FloodGuard(.heartbeat, perSecond: 20, burst: 100)

    init(role: Heartbeat.Role, settings: Heartbeat.Settings, clocks: HeartbeatClocks) {
        self.role = role
        self.settings = settings
        self.clocks = clocks
    }

    /// Begins when the channel is ready.
    func start(
        on eventLoop: any EventLoop, ping: @escaping (CastMessage) -> Void, giveUp: @escaping () -> Void
    ) {
        guard self.heartbeat == nil else { return }
        self.heartbeat = Heartbeat(role: self.role, settings: self.settings, at: eventLoop.now)
        self.owner = Owner(ping: ping, giveUp: giveUp, eventLoop: eventLoop, clock: self.clocks.take(on: eventLoop))
        self.sleep(until: eventLoop.now + self.settings.interval)
    }

    func stop() {
        self.timer?.cancel()
        self.timer = nil
        if let owner { self.clocks.giveBack(owner.clock) }
        self.owner = nil
    }

    /// The peer may be spoken to.
    func open() {
        self.heartbeat?.open()
    }

    /// Notes that the peer lives, and takes out what is its heartbeat.
    func received(_ message: CastMessage, at now: NIODeadline) -> Verdict {
        self.heartbeat?.heardPeer(at: now)
        guard message.family == .heartbeat else {
            if message.family != .deviceAuth { self.heartbeat?.open() }
            return .notHeartbeat
        }
        self.heartbeat?.open()
        if let error = self.flood.count(at: now) { return .close(error) }
        // Ids are not checked, and app ids are pinged too: whatever asks is answered (protocol notes, 4).
        guard HeartbeatPayload(message.payload) == .ping else { return .swallow }
        var pong = message.reply(HeartbeatPayload.pong.payload)
        if message.isBroadcast, self.role == .sender { pong.source = .platformSender }
        return .answer(pong)
    }

    /// A PING may be a little late. A peer is given up at the very instant; should it have spoken until shortly before,
    /// the clock's early call has moved the instant already.
    private func sleep(until deadline: NIODeadline) {
        guard let owner, let heartbeat else { return }
        if owner.clock.wake(self, at: deadline, orBefore: deadline >= heartbeat.givesUpAt) { return }
        let timer = NIOLoopBound(self, eventLoop: owner.eventLoop)
        self.timer = owner.eventLoop.scheduleTask(deadline: deadline) { timer.value.fired() }
    }

    /// The time has come, or has nearly come; a call after the stop does nothing.
    func fired() {
        guard let owner else { return }
        switch self.heartbeat?.timerFired(at: owner.eventLoop.now) {
        case .wait(let next): self.sleep(until: next)
        case .ping(let next):
            owner.ping(Self.ping(from: self.role))
            self.sleep(until: next)
        case .close: owner.giveUp()
        case nil: break
        }
    }

    private static func ping(from role: Heartbeat.Role) -> CastMessage {
        let (near, far): (EndpointID, EndpointID) =
            role == .receiver ? (.platformReceiver, .platformSender) : (.platformSender, .platformReceiver)
        return CastMessage(
            source: near, destination: far, namespace: .heartbeat, payload: HeartbeatPayload.ping.payload)
    }
}
