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
            // A channel is an app's. The platform speaks none of these namespaces, and every sender is connected to it.
            guard message.message.destination != .platformReceiver, message.message.destination != .broadcast else {
                return .reject(Rejection(reason: InvalidRequest.Reason.invalidCommand.rawValue))
            }
            return .handled(.broadcast(payload: message.message.payload))
        }
    }
}
