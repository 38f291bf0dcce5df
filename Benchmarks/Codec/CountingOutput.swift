import CastWire
import GatewayCore
import GatewayTesting

/// A router's output that only counts, so that the router's cost is measured and not the output's.
final class CountingOutput: RouterOutput {
    /// What the sender says of itself, as Chromium does.
    private static let connect = CastMessage.test(
        #"{"type":"CONNECT","connType":0,"origin":{},"userAgent":"Chromium","senderInfo":{"sdkType":2,"platform":6}}"#,
        in: .connection)

    /// How many messages went on.
    private(set) var count = 0

    func forward(_ message: RoutedMessage) { self.count += 1 }
    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {}
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {}
    func session(at transport: EndpointID) -> SessionFacts? { nil }
    func connect(of message: CastMessage, on connection: ConnectionID) -> CastMessage? { Self.connect }
    func emit(_ event: GatewayEvent) {}
    func flush() {}
}
