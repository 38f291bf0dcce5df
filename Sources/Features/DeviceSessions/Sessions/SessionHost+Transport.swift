import CastClient
import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

// How the media client reaches the app.
extension SessionHost: MediaTransport {
    var eventLoop: any EventLoop { self.device.eventLoop }

    func send(_ payload: CastMessage.Payload, in namespace: Namespace) {
        self.send(payload, in: namespace, from: CommandTrace.current?.caller.map { MessageOrigin($0) })
    }

    /// Sends the app a message.
    /// - Parameter origin: whose it is; nil for what the session asks by itself, which waits for no handler.
    func send(_ payload: CastMessage.Payload, in namespace: Namespace, from origin: MessageOrigin?) {
        guard let transport else { return }
        let message = CastMessage(
            source: .platformSender, destination: transport, namespace: namespace, payload: payload)
        guard let leg, let origin, message.isCommand else { return self.say(payload, in: namespace) }
        leg.send(message, from: origin)
    }

    func say(_ payload: CastMessage.Payload, in namespace: Namespace) {
        guard let transport else { return }
        // Media on a session that was there already: some want to know.
        if let type = PayloadSummary(peeking: payload).type, type == "LOAD" || type == "QUEUE_LOAD" {
            self.emit(.alreadyConnected)
        }
        self.device.platform.send(payload, in: namespace, to: transport)
    }

    func flush() {
        self.device.flush()
    }
}

extension MessageOrigin {
    /// A caller's; a plugin is one by its own name, as when it sends by itself.
    init(_ caller: CommandTrace.Caller) {
        if let plugin = caller.plugin {
            self.init(plugin, from: .plugin, behind: caller.hops)
            return
        }
        self.init("api-\(caller.name)", from: caller.isBroker ? .mqtt : .api, behind: caller.hops)
    }
}
