import CastWire
import GatewayCore

/// Sends every message back, as a handler that is built in does.
struct EchoHandler: MessageHandler {
    let name = "built-in"
    let claims = [Claim(.exact(Sample.namespace))]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        Verdict(.reply(message.message.payload))
    }
}
