import CastWire
import GatewayCore
import GatewayOperations

extension AddressTemplate.Values {
    /// Reads the values of a message in an app's own namespace.
    init(_ message: RoutedMessage) {
        self.init(
            device: message.device.name, namespace: message.message.namespace.rawValue,
            app: message.session?.appID.rawValue, type: BridgedEvent.messageType)
    }

    /// Reads the values of a message of the outbox for a webhook.
    init(_ message: OutboxMessage) {
        self.init(device: message.device, type: message.type)
        guard let parts = message.address?.split(separator: " ", omittingEmptySubsequences: false), parts.count == 2
        else {
            return
        }
        self.namespace = Self.decoded(parts[0])
        self.app = Self.decoded(parts[1])
    }

    /// The value of ``OutboxMessage/address`` for a webhook: namespace and app, which the message does not tell otherwise. The
    /// configuration's own words, among which may be tokens, are not kept.
    var outboxAddress: String { "\(Self.encoded(self.namespace)) \(Self.encoded(self.app))" }

    private static func encoded(_ text: String?) -> String {
        (text ?? "").replacing("%", with: "%25").replacing(" ", with: "%20")
    }

    private static func decoded(_ text: Substring) -> String? {
        text.isEmpty ? nil : String(text.replacing("%20", with: " ").replacing("%25", with: "%"))
    }
}
