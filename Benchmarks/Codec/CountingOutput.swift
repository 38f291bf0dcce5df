import CastWire
import GatewayCore

/// A router's output that only counts, so that the router's cost is measured and not the output's.
final class CountingOutput: RouterOutput {
    /// How many messages went on.
    private(set) var count = 0

    func forward(_ message: RoutedMessage) { self.count += 1 }
    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {}
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {}
    func session(at transport: EndpointID) -> SessionFacts? { nil }
    func emit(_ event: GatewayEvent) {}
    func flush() {}
}
