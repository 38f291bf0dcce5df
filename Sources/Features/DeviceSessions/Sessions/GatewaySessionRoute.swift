import CastWire
import GatewayCore
import Logging
import NIOCore

/// The way of messages between an app on a real device and the gateway's own session with it: the leg `own`.
///
/// What passes here meets the filters, owners and observers that claim this leg, on the device's event loop, as the messages of
/// senders do on a virtual device. Most messages meet none, and are not wrapped. Only what the app says and what callers,
/// plugins and bridges say to it comes here: virtual connections, heartbeats, the platform's messages, and what the session asks
/// by itself to find out how the app stands never wait for a handler. What the app says of media is known to the session at
/// once, and handlers get a copy of it.
///
/// Made when the app can be spoken to, and shut down when it cannot any more, with what is deferred.
final class GatewaySessionRoute: RouterOutput {
    private let router: MessageRouter
    private let eventLoop: any EventLoop
    private let facts: DeviceFacts
    /// Not kept alive: a deferred verdict may come after the session's end.
    private weak var host: SessionHost?
    /// True while a message of the session is routed, which is not answered before that has returned.
    private var isSending = false

    init(of host: SessionHost, following routing: OwnLegRouting) {
        let device = host.device
        let settings = routing.settings
        self.host = host
        self.eventLoop = device.eventLoop
        self.facts = DeviceFacts(
            name: device.name, target: device.name, description: SilentDescription(), leg: .own)
        self.router = MessageRouter(
            device: device.name, leg: .own, registry: routing.registry,
            settings: Self.settings(settings.router),
            eventLoop: device.eventLoop, events: device.events, logger: device.logger,
            payloadText: settings.payloadText)
        self.router.start(output: self)
    }

    /// Forwards what no handler takes, whatever becomes of such messages of senders.
    private static func settings(_ settings: RouterSettings) -> RouterSettings {
        var settings = settings
        settings.defaultAction = .forward
        return settings
    }

    /// Gives up what is deferred; nothing passes any more.
    func shutDown() {
        self.host = nil
        self.router.shutdown()
    }

    /// Takes new values of `routing` and `log`.
    func follow(_ settings: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.router.follow(Self.settings(settings), payloadText: payloadText)
    }

    // MARK: What comes

    /// Takes what the app says.
    /// - Parameter origin: whose question it answers; nil for what no caller waits for.
    func received(_ message: CastMessage, answering origin: MessageOrigin?) {
        if message.namespace == .media { self.host?.take(message) }
        guard !self.router.forwardsUnseen(message, direction: .toSender) else {
            if message.namespace != .media { self.host?.take(message) }
            return
        }
        self.router.route(
            RoutedMessage(message, direction: .toSender, device: self.facts, connection: nil, origin: origin))
        self.router.turnEnded()
    }

    /// Takes what a caller, a plugin or a bridge says to the app.
    func send(_ message: CastMessage, from origin: MessageOrigin) {
        guard !self.router.forwardsUnseen(message, direction: .toReceiver) else { return self.say(message) }
        let wasSending = self.isSending
        self.isSending = true
        defer { self.isSending = wasSending }
        self.router.route(
            RoutedMessage(message, direction: .toReceiver, device: self.facts, connection: nil, origin: origin))
        self.router.turnEnded()
    }

    private func say(_ message: CastMessage) {
        self.host?.say(message.payload, in: message.namespace)
    }

    // MARK: What the router decided

    func forward(_ routed: RoutedMessage) {
        switch routed.direction {
        case .toReceiver: self.say(routed.message)
        // The session has it already.
        case .toSender where routed.message.namespace == .media: break
        case .toSender: self.host?.take(routed.message)
        }
    }

    /// Sends the app what a handler says to it.
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {
        guard message.namespace.isValid, !message.namespace.isTransport, message.family != .receiver else { return }
        self.say(message)
    }

    /// Gives the session what a handler says in the place of the app.
    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {
        guard self.isSending, let host else { return self.host?.take(message) ?? () }
        // Who asked is not told before the question counts as sent.
        let answered = NIOLoopBound(host, eventLoop: self.eventLoop)
        self.eventLoop.execute { answered.value.take(message) }
    }

    func session(at transport: EndpointID) -> SessionFacts? { self.host?.device.platform.facts(at: transport) }

    var running: RunningApps { self.host?.device.platform.running ?? .unknown }

    func emit(_ event: GatewayEvent) { self.host?.device.events.publish(event) }

    func flush() { self.host?.device.flush() }
}
