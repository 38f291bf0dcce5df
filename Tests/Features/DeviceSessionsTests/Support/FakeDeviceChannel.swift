import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore

/// One channel of a ``FakeDevice``.
final class FakeDeviceChannel: ChannelInboundHandler {
    typealias InboundIn = CastMessage
    typealias OutboundOut = ByteBuffer

    private let number: Int
    private let behaviour: FakeDevice.Behaviour
    private let events: Inbox<FakeDevice.Event>
    /// The virtual connections whose CLOSE was acknowledged.
    private var acknowledged: Set<VirtualConnection> = []

    init(number: Int, behaviour: FakeDevice.Behaviour, events: Inbox<FakeDevice.Event>) {
        self.number = number
        self.behaviour = behaviour
        self.events = events
    }

    func channelActive(context: ChannelHandlerContext) {
        self.events.put(.opened(self.number))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.events.put(.closed(self.number))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = Self.unwrapInboundIn(data)
        if message.namespace == .heartbeat {
            if case .mute = self.behaviour { return }
            self.answer(message.reply(json: ["type": "PONG"]), context)
            return
        }
        self.events.put(.message(self.number, message))
        if case .proving(let prove) = self.behaviour, message.namespace == .deviceAuth {
            let challenge = try? DeviceAuthMessage(parsing: message.payload.bytes).challenge
            guard let reply = challenge.flatMap(prove) else { return }
            self.answer(
                CastMessage(
                    source: .platformReceiver, destination: .platformSender, namespace: .deviceAuth,
                    payload: reply.payload), context)
            return
        }
        if case .identified(let id, let heard) = self.behaviour { self.answer(message, as: id, heard, context) }
        if case .restarting = self.behaviour, self.number > 0, self.closes(message, context) { return }
        if let status = self.status, message.namespace == .receiver,
            self.answersEverybody || message.source == .platformSender,
            let request = ReceiverRequest(message.payload),
            request.kind == .getStatus, let id = request.requestID
        {
            self.answer(message.reply(ReceiverStatusPayload(status, requestID: id).payload), context)
        }
    }

    private func answer(
        _ message: CastMessage, as id: String, _ heard: @Sendable (JSONObject) -> Void, _ context: ChannelHandlerContext
    ) {
        guard let json = message.payload.jsonObject, let type = json.string("type") else { return }
        switch type {
        case "GET_DEVICE_INFO":
            let info = DiscoveryPayload.deviceInfo(
                deviceID: id, model: "Fake", friendlyName: id, capabilities: 5, requestID: message.requestID ?? 0)
            self.answer(message.reply(info.payload), context)
        case "SET_VOLUME":
            heard(json)
            let volume = json.object("volume").map { ReceiverVolume(json: $0) } ?? ReceiverVolume(level: 1)
            let status = ReceiverStatus(application: nil, volume: volume)
            self.answer(
                message.reply(ReceiverStatusPayload(status, requestID: message.requestID ?? 0).payload), context)
        case "CONNECT", "CLOSE", "GET_STATUS": break
        default: heard(json)
        }
    }

    /// What the device says to those who ask for its status.
    private var status: ReceiverStatus? {
        switch self.behaviour {
        case .usual(let status), .restarting(let status): status
        case .proving, .identified: .idle
        case .heartbeatsOnly, .mute: nil
        }
    }

    private var answersEverybody: Bool { if case .restarting = self.behaviour { true } else { false } }

    /// Closes a connection that was not acknowledged yet.
    private func closes(_ message: CastMessage, _ context: ChannelHandlerContext) -> Bool {
        let pair = VirtualConnection(local: message.destination, peer: message.source)
        guard !self.acknowledged.contains(pair) else { return false }
        if message.namespace == .connection, message.type == "CLOSE" {
            self.acknowledged.insert(pair)
        } else {
            self.answer(.close(message.destination, to: message.source), context)
        }
        return true
    }

    private func answer(_ message: CastMessage, _ context: ChannelHandlerContext) {
        guard let frame = try? message.frame() else { return }
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }
}
