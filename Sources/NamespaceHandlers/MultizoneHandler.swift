import CastWire
import GatewayCore

/// The multizone namespace: speaker groups are the target's matter, and messages that are no JSON go nowhere.
struct MultizoneHandler: MessageHandler {
    let name = "multizone"
    let claims = [Claim(.exact(.multizone))]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        message.summary.type == nil ? .drop("no message type") : .forward
    }
}
