import CastWire
import GatewayCore

/// The multizone namespace: speaker groups are the target's matter.
struct MultizoneHandler: MessageHandler {
    let name = "multizone"
    let claims = [Claim(.exact(.multizone))]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict { .forward }
}
