import CastWire
import NIOCore
import NIOTLS

/// PING and PONG end here, below every handler, so no handler can delay them (rule 2 of the router).
final class HeartbeatHandler: ChannelDuplexHandler {
    typealias InboundIn = CastMessage
    typealias InboundOut = CastMessage
    typealias OutboundIn = CastMessage
    typealias OutboundOut = CastMessage

    private let role: Heartbeat.Role
    private let settings: Heartbeat.Settings
    private let isSecured: Bool
    private var heartbeat: Heartbeat?
    private var timer: Scheduled<Void>?

    init(role: Heartbeat.Role, settings: Heartbeat.Settings, isSecured: Bool) {
        self.role = role
        self.settings = settings
        self.isSecured = isSecured
    }

    func channelActive(context: ChannelHandlerContext) {
        if !self.isSecured { self.start(context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(_) = event { self.start(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = Self.unwrapInboundIn(data)
        self.heartbeat?.heardPeer(at: context.eventLoop.now)
        guard message.namespace == .heartbeat else {
            if message.namespace != .deviceAuth { self.heartbeat?.open() }
            context.fireChannelRead(data)
            return
        }
        self.heartbeat?.open()
        // Ids are not checked, and app ids are pinged too: whatever asks is answered (protocol notes, 4).
        if HeartbeatPayload(message.payload) == .ping {
            var pong = message.reply(HeartbeatPayload.pong.payload)
            if message.destination == .broadcast, self.role == .sender { pong.source = .platformSender }
            context.write(Self.wrapOutboundOut(pong), promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if Self.unwrapOutboundIn(data).namespace == .deviceAuth { self.heartbeat?.open() }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
    }

    private func start(_ context: ChannelHandlerContext) {
        guard self.heartbeat == nil else { return }
        let now = context.eventLoop.now
        self.heartbeat = Heartbeat(role: self.role, settings: self.settings, at: now)
        self.schedule(context, at: now + self.settings.interval)
    }

    private func schedule(_ context: ChannelHandlerContext, at deadline: NIODeadline) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.timerFired(context)
        }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        switch self.heartbeat?.timerFired(at: context.eventLoop.now) {
        case .wait(let next): self.schedule(context, at: next)
        case .ping(let next):
            let (near, far): (EndpointID, EndpointID) =
                self.role == .receiver ? (.platformReceiver, .platformSender) : (.platformSender, .platformReceiver)
            let ping = CastMessage(
                source: near, destination: far, namespace: .heartbeat, payload: HeartbeatPayload.ping.payload)
            context.writeAndFlush(Self.wrapOutboundOut(ping), promise: nil)
            self.schedule(context, at: next)
        case .close: context.fireErrorCaught(TransportError.silentPeer)
        case nil: break
        }
    }
}
