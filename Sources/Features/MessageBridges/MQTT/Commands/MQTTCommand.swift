import CastWire
import GatewayOperations
import NIOCore

/// A command and where it is answered, read from a message to a command topic. Made of the message alone.
struct MQTTCommand: Sendable {
    struct Reply: Sendable, Hashable {
        var topic: String
        /// The correlation data, unchanged.
        var correlation: ByteBuffer?
        /// The `id` of the body, which is said again in the answer's.
        var id: JSONValue?
    }

    var operation: OperationName
    var input: JSONObject
    /// The caller.
    var principal: String?
    /// Commands of one lane are done one after the other; nil for one that waits for none.
    var lane: String?
    /// The place for the answer; nil for none.
    var reply: Reply?
    /// The identity that tells it from others that came the same way; nil when nothing does.
    var identity: String?

    /// The reason a message is not carried out.
    struct Refusal: Error, Sendable {
        var problem: OperationProblem
        /// The place for the refusal; nil for the log only.
        var reply: Reply?
    }

    /// Reads a message.
    /// - Parameters:
    ///   - responseTopics: where answers may go beside the gateway's own topics for them.
    ///   - reservedPrefixes: topics below which answers do not go, whatever is allowed.
    ///   - reference: how operations find the device of a topic.
    /// - Throws: ``Refusal``.
    init(
        _ message: MQTTInbound, topics: MQTTTopics, responseTopics: [MQTTTopicFilter] = [], reservedPrefixes: [String],
        reference: (_ device: String) -> String
    ) throws(Refusal) {
        func fault(_ topic: String) -> String? {
            topics.replyFault(topic, allowed: responseTopics, others: reservedPrefixes)
        }
        guard let target = topics.command(message.topic) else {
            throw Refusal(problem: Self.invalid("the topic is no command of this gateway"))
        }
        var reply = try Self.reply(message, fault)
        guard let payload = message.payload else {
            throw Refusal(
                problem: OperationProblem(
                    target.isMessage ? "message_too_big" : "body_too_large", status: 413,
                    "a payload has \(MQTTInbound.maximumPayload) bytes at most"),
                reply: reply)
        }
        var body = MQTTCommandBody(payload)
        let id = try body.takeEnvelope(of: target, reply: &reply, fault)
        do throws(OperationProblem) {
            (self.operation, self.input) = try body.call(target, reference: reference)
        } catch {
            throw Refusal(problem: error, reply: reply)
        }
        self.reply = reply
        self.lane = target.device
        if case .call(_, let principal) = target { self.principal = principal }
        let identity = message.id ?? id ?? message.correlation.map { "\($0.readableBytesView.map { $0 })" }
        self.identity = identity.map { "\(message.topic)\u{0}\(reply?.topic ?? "")\u{0}\($0)" }
    }

    private static func invalid(_ text: String) -> OperationProblem {
        OperationProblem("invalid_input", status: 422, text)
    }

    /// Returns where the properties of a message want the answer. One that may not go there gets none, and is not
    /// carried out.
    private static func reply(
        _ message: MQTTInbound, _ fault: (_ topic: String) -> String?
    ) throws(Refusal) -> Reply? {
        guard let topic = message.responseTopic else { return nil }
        if let fault = fault(topic) {
            throw Refusal(problem: Self.invalid("the response topic \(fault)"))
        }
        return Reply(topic: topic, correlation: message.correlation)
    }
}

extension MQTTTopics.Command {
    /// True if it sends a message to an app, or to its senders.
    fileprivate var isMessage: Bool {
        switch self {
        case .message: true
        case .call(let operation, _): operation.hasPrefix("message.")
        default: false
        }
    }
}

/// The payload of a command, on its way to an operation and its input.
private struct MQTTCommandBody {
    private let payload: ByteBuffer
    private var json: JSONValue?

    init(_ payload: ByteBuffer) {
        self.payload = payload.withoutByteOrderMark
        self.json = try? JSONReader.read(self.payload)
    }

    /// The payload as it stands, when it is UTF-8.
    private var text: String? { String(validating: self.payload.readableBytesView, as: UTF8.self) }

    /// Takes `reply_to` and `id` out of the body, which stand for the properties of MQTT 5 where there are none.
    /// - Returns: the id, when it is a text or a number.
    mutating func takeEnvelope(
        of target: MQTTTopics.Command, reply: inout MQTTCommand.Reply?, _ fault: (_ topic: String) -> String?
    ) throws(MQTTCommand.Refusal) -> String? {
        guard case .object(var object)? = self.json else { return nil }
        let topic = object["reply_to"]
        // Operations may have an `id` of their own.
        if case .call = target, topic == nil { return nil }
        let id = object["id"]
        object["reply_to"] = nil
        object["id"] = nil
        self.json = .object(object)
        if let topic, reply == nil {
            let fault = topic.stringValue.map(fault) ?? "is no text"
            if let fault {
                throw MQTTCommand.Refusal(
                    problem: OperationProblem("invalid_input", status: 422, "'reply_to' \(fault)"))
            }
            reply = MQTTCommand.Reply(topic: topic.stringValue ?? "", id: id)
        }
        guard let id, id.text.utf8.count <= MQTTInbound.maximumCorrelation else { return nil }
        return id.text
    }

    /// The operation and the input that a topic and this payload stand for.
    func call(
        _ target: MQTTTopics.Command, reference: (String) -> String
    ) throws(OperationProblem) -> (OperationName, JSONObject) {
        switch target {
        case .set(let device): return ("volume.set", try self.set(reference(device)))
        case .verb(let verb, let device): return try self.verb(verb, reference(device))
        case .message(let namespace, let device):
            return ("message.send", try self.message(namespace, reference(device)))
        case .call(let operation, _):
            guard let name = OperationName(operation) else {
                throw .missing("unknown_operation", "there is no operation '\(operation)'")
            }
            return (name, try self.object("the input"))
        }
    }

    private func set(_ device: String) throws(OperationProblem) -> JSONObject {
        let object = try self.object("the state")
        var input: JSONObject = ["device": .string(device)]
        for member in object.members {
            switch member.name {
            case "volume": input["level"] = member.value
            case "muted": input["muted"] = member.value
            default: throw Self.invalid("'\(member.name)' cannot be set: there are 'volume' and 'muted'")
            }
        }
        guard input.members.count > 1 else { throw Self.invalid("there is nothing to set: 'volume', 'muted'") }
        return input
    }

    private func verb(_ verb: String, _ device: String) throws(OperationProblem) -> (OperationName, JSONObject) {
        let device = JSONValue.string(device)
        switch verb {
        case "play": return ("media.play", try self.input(device))
        case "pause": return ("media.pause", try self.input(device))
        case "stop": return ("media.stop", try self.input(device))
        case "next": return ("queue.next", try self.input(device))
        case "prev": return ("queue.previous", try self.input(device))
        case "launch": return ("session.start", try self.input(device, bare: "app"))
        case "load": return ("media.load", try self.input(device, bare: "url"))
        case "seek": return ("media.seek", try self.input(device, number: "position"))
        case "volume":
            let steps = ["up": 1, "down": -1][self.text?.lowercased() ?? ""]
            if let steps { return ("volume.set", ["device": device, "steps": .number(steps)]) }
            // With a sign it is a change.
            let isStep = self.text?.first == "+" || self.text?.first == "-"
            return ("volume.set", try self.input(device, number: isStep ? "by" : "level"))
        case "mute": return ("volume.set", try self.mute(device))
        default:
            throw OperationProblem.missing(
                "unknown_operation",
                "there is no command '\(verb)': launch, stop, play, pause, seek, load, next, prev, volume, mute")
        }
    }

    /// The input of a verb: an object, or nothing, or a bare text.
    private func input(_ device: JSONValue, bare name: String? = nil) throws(OperationProblem) -> JSONObject {
        if case .object(var object)? = self.json {
            // A payload may say it twice, and who reads it later must not find another one.
            object["device"] = nil
            object["device"] = device
            return object
        }
        guard let name else {
            // What buttons send, such as PRESS, says nothing.
            return ["device": device]
        }
        guard let text = self.json?.stringValue ?? self.text, !text.isEmpty else {
            throw Self.invalid("the payload must be '\(name)' or an object")
        }
        return ["device": device, name: .string(text)]
    }

    private func input(_ device: JSONValue, number name: String) throws(OperationProblem) -> JSONObject {
        if case .object = self.json { return try self.input(device) }
        var text = self.text ?? ""
        if text.first == "+" { text.removeFirst() }
        guard case .number(let number)? = try? JSONReader.read(text) else {
            throw Self.invalid("the payload must be a number or an object")
        }
        return ["device": device, name: .number(number)]
    }

    private func mute(_ device: JSONValue) throws(OperationProblem) -> JSONObject {
        if case .object = self.json { return try self.input(device) }
        switch self.text?.lowercased() {
        case "", "true", "on", "1": return ["device": device, "muted": true]
        case "false", "off", "0": return ["device": device, "muted": false]
        case "toggle": return ["device": device, "muted": "toggle"]
        default: throw Self.invalid("the payload must be true or false, on or off, toggle, or an object")
        }
    }

    /// The message to an app: the member `payload` of an object, or `base64`.
    private func message(_ namespace: String, _ device: String) throws(OperationProblem) -> JSONObject {
        let object = try self.object("the message")
        var input: JSONObject = ["device": .string(device), "namespace": .string(namespace)]
        for member in object.members {
            switch (member.name, member.value) {
            case ("payload", .string): input["text"] = member.value
            case ("payload", _): input["json"] = member.value
            case ("base64", _): input["bytes"] = member.value
            case ("session_id", _), ("answer_within", _): input[member.name] = member.value
            default:
                throw Self.invalid(
                    "a message has no '\(member.name)': there are 'payload', 'base64', 'session_id' and 'answer_within'"
                )
            }
        }
        return input
    }

    private func object(_ what: String) throws(OperationProblem) -> JSONObject {
        if self.payload.readableBytes == 0 { return [:] }
        guard case .object(let object)? = self.json else {
            throw OperationProblem("bad_request", status: 400, "\(what) must be a JSON object")
        }
        return object
    }

    private static func invalid(_ text: String) -> OperationProblem {
        OperationProblem("invalid_input", status: 422, text)
    }
}
