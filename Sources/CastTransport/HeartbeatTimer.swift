import CastWire
import NIOCore

/// A ``Heartbeat`` with a timer. PING and PONG end here, below every handler, so no handler can delay them (rule 2 of
/// the router).
final class HeartbeatTimer {
    /// What becomes of a message.
    enum Verdict {
        case notHeartbeat
        case answer(CastMessage)
        case swallow
        case close(TransportError)
    }

    private let role: Heartbeat.Role
    private let settings: Heartbeat.Settings
    private var heartbeat: Heartbeat?
    private var timer: Scheduled<Void>?
    private var flood = FloodGuard(.heartbeat, perSecond: 20, burst: 100)

    init(role: Heartbeat.Role, settings: Heartbeat.Settings) {
        self.role = role
        self.settings = settings
    }

    /// Begins when the channel is ready.
    func start(
        on eventLoop: any EventLoop, ping: @escaping @Sendable (CastMessage) -> Void,
        giveUp: @escaping @Sendable () -> Void
    ) {
        guard self.heartbeat == nil else { return }
        self.heartbeat = Heartbeat(role: self.role, settings: self.settings, at: eventLoop.now)
        self.schedule(on: eventLoop, at: eventLoop.now + self.settings.interval, ping: ping, giveUp: giveUp)
    }

    func stop() {
        self.timer?.cancel()
        self.timer = nil
    }

    /// The peer may be spoken to.
    func open() {
        self.heartbeat?.open()
    }

    /// Notes that the peer lives, and takes out what is its heartbeat.
    func received(_ message: CastMessage, at now: NIODeadline) -> Verdict {
        self.heartbeat?.heardPeer(at: now)
        guard message.namespace == .heartbeat else {
            if message.namespace != .deviceAuth { self.heartbeat?.open() }
            return .notHeartbeat
        }
        self.heartbeat?.open()
        if let error = self.flood.count(at: now) { return .close(error) }
        // Ids are not checked, and app ids are pinged too: whatever asks is answered (protocol notes, 4).
        guard HeartbeatPayload(message.payload) == .ping else { return .swallow }
        var pong = message.reply(HeartbeatPayload.pong.payload)
        if message.destination == .broadcast, self.role == .sender { pong.source = .platformSender }
        return .answer(pong)
    }

    private func schedule(
        on eventLoop: any EventLoop, at deadline: NIODeadline, ping: @escaping @Sendable (CastMessage) -> Void,
        giveUp: @escaping @Sendable () -> Void
    ) {
        let timer = NIOLoopBound(self, eventLoop: eventLoop)
        self.timer = eventLoop.scheduleTask(deadline: deadline) {
            timer.value.fired(on: eventLoop, ping: ping, giveUp: giveUp)
        }
    }

    private func fired(
        on eventLoop: any EventLoop, ping: @escaping @Sendable (CastMessage) -> Void,
        giveUp: @escaping @Sendable () -> Void
    ) {
        switch self.heartbeat?.timerFired(at: eventLoop.now) {
        case .wait(let next): self.schedule(on: eventLoop, at: next, ping: ping, giveUp: giveUp)
        case .ping(let next):
            ping(Self.ping(from: self.role))
            self.schedule(on: eventLoop, at: next, ping: ping, giveUp: giveUp)
        case .close: giveUp()
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
