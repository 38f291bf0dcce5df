import CastWire
import GatewayCore
import GatewayJournal
import NIOCore

/// The body of a webhook, which is also the payload of an event over MQTT: a JSON object.
///
/// ```json
/// {"type":"channel.message","timestamp":"2026-11-23T08:00:00.123Z","device":"hall",
///  "data":{"via":"relay","namespace":"urn:x-cast:com.example.chat","direction":"to_receiver","source":"sender-1","destination":"…",
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
        Self.writeMembers(of: message, to: &body)
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

    /// Begins the JSON object of a message with all members but the payload; neither a comma nor the closing brace is written.
    static func writeMembers(of message: RoutedMessage, to body: inout ByteBuffer) {
        func write(_ name: StaticString, _ value: String) {
            body.writeStaticString(name)
            JSONWriter.write(.string(value), to: &body)
        }
        write("{\"via\":", message.device.via.rawValue)
        write(",\"namespace\":", message.message.namespace.rawValue)
        write(",\"direction\":", message.direction.rawValue)
        write(",\"source\":", message.message.source.rawValue)
        write(",\"destination\":", message.message.destination.rawValue)
        if let session = message.session {
            write(",\"session_id\":", session.sessionID)
            write(",\"app\":", session.appID.rawValue)
        }
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
