import CastWire

/// A message as a bench makes one up: whatever is left out is filled in.
enum BenchMessage {
    /// Completes the members of a message as they stand on the wire.
    /// - Parameters:
    ///   - given: what is given. A payload that is no text is written as one.
    ///   - number: makes the id.
    /// - Returns: the members, with what was left out.
    static func completed(_ given: JSONObject, number: Int) -> JSONObject {
        var message: JSONObject = [
            "id": .string("m-\(number)"), "device": "test", "direction": "to_receiver", "connection": 1,
            "sender": "192.0.2.7", "session": "s-1", "app": "ABCD1234", "source": "sender-1", "destination": "web-1",
            "namespace": "urn:x-cast:com.example.test",
        ]
        for member in given.members { message[member.name] = member.value }
        switch given["payload"] {
        case .object(let object)?:
            message["payload"] = .string(JSONValue.object(object).text)
            message["type"] = given["type"] ?? object["type"]
            message["requestId"] = given["requestId"] ?? object["requestId"]
        case .string(let text)?:
            let object = (try? JSONReader.read(text))?.objectValue
            message["type"] = given["type"] ?? object?.string("type").map { .string($0) }
            message["requestId"] = given["requestId"] ?? object?["requestId"]
        case nil where given["payloadB64"] == nil: message["payload"] = "{}"
        default: break
        }
        for name in ["connection", "sender", "session", "app", "requestId", "type"] where message[name] == .null {
            message[name] = nil
        }
        return message
    }
}
