import CastWire
import GatewayCore

/// A custom namespace of `channels`, without code: echoes to its sender, or repeats to every sender of the session.
struct ChannelHandler: MessageHandler {
    let name: String
    let claims: [Claim]
    private let handler: ChannelConfiguration.Handler

    init(configuration: ChannelConfiguration) {
        self.name = configuration.handlerName
        self.claims = [Claim(.exact(Namespace(rawValue: configuration.namespace)))]
        self.handler = configuration.handler
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        switch self.handler {
        case .echo: return Verdict(.reply(message.message.payload))
        case .broadcast:
            let copy = CastMessage(
                source: message.message.destination, destination: .broadcast, namespace: message.message.namespace,
                payload: message.message.payload)
            return .handled(.sendToSenders(copy))
        }
    }
}
