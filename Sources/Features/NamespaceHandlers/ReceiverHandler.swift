import CastWire
import GatewayCore

/// The receiver platform's namespace: what the platform does with a request is up to the target, the built-in receiver or the
/// device.
///
/// Which apps a virtual device offers of a real one is ``PlatformGuard``'s matter, which holds without this handler, too.
struct ReceiverHandler: MessageHandler {
    let name = "receiver"
    let claims = [Claim(.exact(.receiver))]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict { .forward }
}
