import CastWire
import GatewayCore

/// The set-up and discovery namespaces: a virtual device answers with its own name and id, whatever stands behind it.
///
/// Otherwise a sender would learn the real device's identity through the relay and take the two for one.
struct SetupHandler: MessageHandler {
    let name = "setup"
    let claims = [Claim(.exact(.setup)), Claim(.exact(.discovery))]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        // The built-in receiver answers for itself.
        guard message.device.target != nil else { return .forward }
        let description = message.device.description
        if message.message.namespace == .setup {
            guard let request = SetupPayload(message.message.payload), request.isEurekaInfo else {
                return .reject(.notSupported)
            }
            return Verdict(.reply(description.setupAnswer(to: request).payload))
        }
        guard let request = DiscoveryPayload(message.message.payload), request.kind == .getDeviceInfo else {
            return .reject(.notSupported)
        }
        guard let id = request.requestID else { return .drop("no request id") }
        return .reply(description.deviceInformation(requestID: id))
    }
}
