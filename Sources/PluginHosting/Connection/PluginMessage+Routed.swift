import CastWire
import GatewayCore
import PluginKit

extension PluginMessage {
    /// A message on its way through the gateway, as a plugin sees it.
    init(_ routed: RoutedMessage, id: String) {
        let message = routed.message
        self.init(
            id: id, device: routed.device.name, direction: routed.direction,
            connection: routed.connection.map { Int(truncatingIfNeeded: $0.rawValue) }, sender: routed.senderAddress,
            session: routed.session?.sessionID, app: routed.session?.appID.rawValue, source: message.source,
            destination: message.destination, namespace: message.namespace, payload: message.payload,
            summary: routed.summary)
    }
}
