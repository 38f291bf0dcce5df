import CastWire
import NIOCore

/// Messages of senders, as an input chooses them.
struct SequenceGrammar {
    static let echo: Namespace = "urn:x-cast:com.example.echo"
    static let say: Namespace = "urn:x-cast:com.example.say"
    static let app: Namespace = "urn:x-cast:com.example.app"
    static let slow: Namespace = "urn:x-cast:com.example.slow"

    private static let ends: [EndpointID] = [
        "sender-0", "sender-1", "sender-2", "sender-vlc-1", "client-é",
        EndpointID(rawValue: String(repeating: "s", count: 300)), .broadcast,
    ]
    private static let otherNamespaces: [Namespace] = [
        .multizone, .setup, .discovery, .broadcast, Self.echo, Self.say, Self.app, Self.slow,
        "urn:x-cast:com.example.unknown", "urn:x-cast:com.google.cast.tp.unknown", "",
    ]

    /// Where the app that runs is, and its session.
    var transport: EndpointID?
    private var nextRequestID = 1

    // MARK: Ends

    private func source(_ input: inout InputReader) -> EndpointID {
        // Mostly the first, as senders do.
        let number = input.number(below: 16)
        return number < Self.ends.count ? Self.ends[number] : "sender-0"
    }

    private func destination(_ input: inout InputReader, preferring preferred: EndpointID) -> EndpointID {
        switch input.number(below: 16) {
        case 0: "web-9"
        case 1: .broadcast
        case 2: "session-1"
        case 3: .platformReceiver
        case 4: self.transport ?? .platformReceiver
        default: preferred
        }
    }

    // MARK: Messages

    /// The usual CONNECT, to the app if one runs.
    var connect: CastMessage {
        CastMessage(
            source: "sender-0", destination: self.transport ?? .platformReceiver, namespace: .connection,
            json: ["type": "CONNECT"])
    }

    /// A request to the platform, with an id of its own.
    mutating func platform(_ type: String, _ parameters: JSONObject) -> CastMessage {
        var json = parameters
        json["type"] = .string(type)
        return self.numbered(json, in: .receiver, to: .platformReceiver)
    }

    /// A LOAD to the app.
    mutating func load(_ input: inout InputReader) -> CastMessage {
        self.numbered(input.mediaRequest("LOAD"), in: .media, to: self.transport ?? .platformReceiver)
    }

    private mutating func numbered(_ json: JSONObject, in namespace: Namespace, to local: EndpointID) -> CastMessage {
        var json = json
        json["requestId"] = .number(self.nextRequestID)
        self.nextRequestID += 1
        return CastMessage(source: "sender-0", destination: local, namespace: namespace, json: json)
    }

    func connection(_ input: inout InputReader) -> CastMessage {
        var json: JSONObject = ["type": input.number(below: 4) == 0 ? "CLOSE" : "CONNECT"]
        switch input.number(below: 16) {
        case 0: json["connType"] = 1
        case 1: json["connType"] = 2
        case 2: json["connType"] = input.anything()
        case 3: json["protocolVersionList"] = [0, 1, 2, 3]
        case 4: json["protocolVersion"] = input.anything()
        case 5: json["type"] = input.anything()
        default: break
        }
        let preferred = input.once(in: 2) ? self.transport ?? .platformReceiver : .platformReceiver
        return CastMessage(
            source: self.source(&input), destination: self.destination(&input, preferring: preferred),
            namespace: .connection, json: json)
    }

    /// A request, mostly with an id of its own.
    mutating func request(_ input: inout InputReader) -> CastMessage {
        var json: JSONObject
        let namespace: Namespace
        var preferred = EndpointID.platformReceiver
        switch input.number(below: 8) {
        case 0...2:
            namespace = .receiver
            json = input.platformRequest(session: self.transport?.rawValue)
        case 3...5:
            namespace = .media
            json = input.mediaRequest()
            preferred = self.transport ?? preferred
        default:
            namespace = input.one(of: Self.otherNamespaces)
            let types: [JSONValue] = [
                "GET_STATUS", "GET_DEVICE_INFO", "eureka_info", "GET_CASTING_GROUPS", "X", .null, input.anything(),
            ]
            json = ["type": input.one(of: types)]
            if namespace.isCustom { preferred = self.transport ?? preferred }
            if input.once(in: 4) { json["data"] = ["params": ["name", "device_info", 7]] }
        }
        let name = namespace == .setup && input.once(in: 2) ? "request_id" : "requestId"
        json[name] = self.requestID(&input)
        return CastMessage(
            source: self.source(&input), destination: self.destination(&input, preferring: preferred),
            namespace: namespace.rawValue.isEmpty ? "x" : namespace, json: json)
    }

    private mutating func requestID(_ input: inout InputReader) -> JSONValue? {
        let number = self.nextRequestID
        self.nextRequestID += 1
        switch input.number(below: 32) {
        case 0: return 0
        case 1: return nil
        case 2: return .string("r-\(number)")
        case 3: return (try? JSONReader.read("\(number).0")) ?? .null
        case 4: return .string(String(repeating: "9", count: 300) + "\(number)")
        case 5: return .null
        case 6: return .number(-number)
        default: return .number(number)
        }
    }

    func heartbeat(_ input: inout InputReader) -> CastMessage {
        CastMessage(
            source: self.source(&input), destination: self.destination(&input, preferring: .platformReceiver),
            namespace: .heartbeat, json: ["type": input.number(below: 4) == 0 ? "PONG" : "PING"])
    }

    func authentication(_ input: inout InputReader) -> CastMessage {
        let payload: CastMessage.Payload =
            switch input.number(below: 4) {
            case 0: .binary(ByteBuffer(bytes: input.bytes(input.number(below: 32))))
            case 1: DeviceAuthMessage(error: AuthError(.internalError)).payload
            default: DeviceAuthMessage(challenge: AuthChallenge(senderNonce: input.bytes(16))).payload
            }
        return CastMessage(
            source: self.source(&input), destination: .platformReceiver, namespace: .deviceAuth, payload: payload)
    }

    /// A message whose payload is the input's own bytes, text or not.
    func raw(_ input: inout InputReader) -> CastMessage {
        let namespace = input.one(of: [.receiver, .media, .connection, .multizone, Self.echo, Self.say])
        let source = self.source(&input)
        let destination = self.destination(&input, preferring: .platformReceiver)
        let bytes = input.bytes(input.number(below: 128))
        let text = String(validating: bytes, as: UTF8.self).map { CastMessage.Payload.text($0) }
        return CastMessage(
            source: source, destination: destination, namespace: namespace,
            payload: text ?? .binary(ByteBuffer(bytes: bytes)))
    }
}
