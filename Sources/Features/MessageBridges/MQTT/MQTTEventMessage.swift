import CastWire
import GatewayCore
import NIOCore

/// A message of an app as ``MQTTCarrier`` publishes it at `device/DEVICE/msg/rx/NAMESPACE`. The carrier adds its `id`.
struct MQTTEventMessage: Sendable, Hashable {
    /// `OutboxMessage.body`
    let body: ByteBuffer

    /// `{"via", "namespace", "direction", "source", "destination", "session_id", "app", "payload"}`: JSON stands in `payload` on one line, other
    /// text as a string; of bytes `base64` has them instead.
    init(_ message: RoutedMessage) {
        var body = ByteBuffer()
        body.reserveCapacity(message.message.payload.bytes.readableBytes + 384)
        BridgedEvent.writeMembers(of: message, to: &body)
        switch message.message.payload {
        case .text(let text):
            body.writeStaticString(",\"payload\":")
            JSONWriter.write((try? JSONReader.read(text)) ?? .string(String(buffer: text)), to: &body)
        case .binary(let bytes):
            body.writeStaticString(",\"base64\":\"")
            Base64.write(bytes, to: &body)
            body.writeStaticString("\"")
        }
        body.writeStaticString("}")
        self.body = body
    }
}
