import CastWire
import GatewayCore
import NIOCore

/// A message of an app as ``MQTTCarrier`` publishes it: where, and with which body. The carrier adds its `id`.
struct MQTTEventMessage: Sendable, Hashable {
    /// `OutboxMessage.address`
    let topic: String
    /// `OutboxMessage.body`
    let body: ByteBuffer

    /// A message of an app: `device/DEVICE/msg/rx/NAMESPACE`, with `{"namespace", "direction", "source", "destination", "session_id",
    /// "app", "payload"}`; of bytes `base64` has them instead of `payload`.
    init(_ message: RoutedMessage, topics: MQTTTopics) {
        self.topic = topics.received(namespace: message.message.namespace.rawValue, device: message.device.name)
        var object: JSONObject = [
            "namespace": .string(message.message.namespace.rawValue), "direction": .string(message.direction.rawValue),
            "source": .string(message.message.source.rawValue),
            "destination": .string(message.message.destination.rawValue),
        ]
        if let session = message.session {
            object["session_id"] = .string(session.sessionID)
            object["app"] = .string(session.appID.rawValue)
        }
        switch message.message.payload {
        case .text(let text): object["payload"] = (try? JSONReader.read(text)) ?? .string(String(buffer: text))
        case .binary(let bytes): object["base64"] = .string(Base64.text(bytes))
        }
        self.body = Self.bytes(object)
    }

    private static func bytes(_ object: JSONObject) -> ByteBuffer {
        var bytes = ByteBuffer()
        JSONWriter.write(.object(object), to: &bytes)
        return bytes
    }
}
