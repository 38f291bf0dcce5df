import CastWire
import GatewayCore
import GatewayJournal
import NIOCore

/// The body of a webhook, which is also the payload of an event over MQTT: a JSON object.
///
/// ```json
/// {"type":"channel.message","timestamp":"2026-11-23T08:00:00.123Z","device":"hall",
///  "data":{"namespace":"urn:x-cast:com.example.chat","direction":"to_receiver","source":"sender-1","destination":"…",
///          "session_id":"…","app":"CC1AD845","json":{"text":"hello"}}}
/// ```
///
/// `type`, `device` and `data` are those of the events reference. Text that is JSON stands in `json` byte by byte as it came, other
/// text in `text`, bytes in `base64`.
enum BridgedEvent {
    /// The type of messages in an app's own namespace.
    static let messageType = "channel.message"

    /// The body for a message in an app's own namespace.
    /// - Parameter instant: when it passed, in milliseconds since 1970.
    static func body(of message: RoutedMessage, at instant: Int64) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(message.message.payload.bytes.readableBytes + 512)
        Self.begin(&body, type: self.messageType, device: message.device.name, timestamp: JournalInstant.text(instant))
        var data: JSONObject = [
            "namespace": .string(message.message.namespace.rawValue), "direction": .string(message.direction.rawValue),
            "source": .string(message.message.source.rawValue),
            "destination": .string(message.message.destination.rawValue),
        ]
        if let session = message.session {
            data["session_id"] = .string(session.sessionID)
            data["app"] = .string(session.appID.rawValue)
        }
        var head = ByteBuffer()
        JSONWriter.write(.object(data), to: &head)
        // Without its closing brace: the payload is the last member.
        body.writeImmutableBuffer(head.getSlice(at: head.readerIndex, length: head.readableBytes - 1) ?? ByteBuffer())
        switch message.message.payload {
        case .text(let text) where (try? JSONReader.read(text)) != nil:
            body.writeStaticString(",\"json\":")
            body.writeImmutableBuffer(text)
        case .text(let text):
            body.writeStaticString(",\"text\":")
            JSONWriter.write(.string(String(buffer: text)), to: &body)
        case .binary(let bytes):
            body.writeStaticString(",\"base64\":\"")
            Base64.write(bytes, to: &body)
            body.writeStaticString("\"")
        }
        body.writeStaticString("}}")
        return body
    }

    /// The body for an event, as the journal tells it.
    /// - Parameter frame: the event: `{"boot":…,"seq":…,"at":…,"type":…,"device":…,"data":{…}}`.
    /// - Returns: nil for what is no event.
    static func body(ofFrame frame: JSONObject) -> ByteBuffer? {
        guard let type = frame.string("type") else { return nil }
        var json: JSONObject = ["type": .string(type)]
        json["timestamp"] = frame["at"]
        for name in ["device", "boot", "seq", "rev", "cause", "data"] {
            if let value = frame[name] { json[name] = value }
        }
        var body = ByteBuffer()
        JSONWriter.write(.object(json), to: &body)
        return body
    }

    private static func begin(_ body: inout ByteBuffer, type: String, device: String, timestamp: String) {
        body.writeStaticString("{\"type\":")
        JSONWriter.write(.string(type), to: &body)
        body.writeStaticString(",\"timestamp\":\"")
        body.writeString(timestamp)
        body.writeStaticString("\",\"device\":")
        JSONWriter.write(.string(device), to: &body)
        body.writeStaticString(",\"data\":")
    }
}
