import CastWire
import GatewayJournal
import GatewayOperations
import NIOCore

/// What a client says on the socket of the API: a JSON object in one text message.
enum ClientFrame: Equatable {
    /// `{"auth":{"token":…}}`, with or without an `id`.
    case auth(id: JSONValue?, token: String)
    /// `{"id":…,"call":"media.seek","input":{…},"wait":…,"idempotency_key":…}`
    case call(id: JSONValue, name: String, input: JSONObject, options: CallOptions)
    /// `{"id":…,"subscribe":{"topics":[{"type":…,"device":…,"namespace":…}],"from":"BOOT.SEQ"}}`
    case subscribe(id: JSONValue, topics: EventTopics, from: JournalPosition?)
    /// `{"id":…,"unsubscribe":true}`
    case unsubscribe(id: JSONValue)

    /// What is wrong with a frame, and the `id` that the answer carries, if one could be read.
    struct Fault: Error {
        let id: JSONValue?
        let problem: OperationProblem

        fileprivate init(_ detail: String, id: JSONValue? = nil) {
            self.id = id
            self.problem = OperationProblem("bad_request", status: 400, detail)
        }
    }

    /// Longest `id`, in bytes.
    static let maximumID = 64
    private static let verbs = ["auth", "call", "subscribe", "unsubscribe"]

    /// The `id` that its answer carries; nil for a frame without one.
    var id: JSONValue? {
        switch self {
        case .auth(let id, _): id
        case .call(let id, _, _, _), .subscribe(let id, _, _), .unsubscribe(let id): id
        }
    }

    init(reading text: ByteBuffer) throws(Fault) {
        let value: JSONValue
        do {
            value = try JSONReader.read(text)
        } catch {
            throw Fault("the frame is no JSON: \(error)")
        }
        guard let object = value.objectValue else { throw Fault("a frame is a JSON object") }
        let id = try Self.id(of: object)
        let verbs = object.members.map(\.name).filter(Self.verbs.contains)
        guard verbs.count == 1, let verb = verbs.first else {
            throw Fault("a frame has one of 'auth', 'call', 'subscribe' and 'unsubscribe'", id: id)
        }
        let others = verb == "call" ? ["id", verb, "input", "wait", "idempotency_key"] : ["id", verb]
        try Self.check(object, others, of: "a frame with '\(verb)'", id: id)
        if verb == "auth" {
            self = .auth(id: id, token: try Self.token(object, id))
            return
        }
        guard let id else { throw Fault("a frame with '\(verb)' has an 'id'") }
        switch verb {
        case "call": self = try Self.call(object, id)
        case "subscribe": self = try Self.subscribe(object, id)
        default:
            guard object.bool("unsubscribe") == true else { throw Fault("'unsubscribe' is true", id: id) }
            self = .unsubscribe(id: id)
        }
    }

    private static func id(of object: JSONObject) throws(Fault) -> JSONValue? {
        guard let id = object["id"] else { return nil }
        switch id {
        case .string(let text) where (1...Self.maximumID).contains(text.utf8.count): return id
        case .number(let number) where number.intValue != nil: return id
        default: throw Fault("an 'id' is a whole number, or a text of 1 to \(Self.maximumID) bytes")
        }
    }

    /// Refuses members that are not known, and those that are there twice.
    private static func check(_ object: JSONObject, _ names: [String], of what: String, id: JSONValue?) throws(Fault) {
        var seen: Set<String> = []
        for member in object.members {
            guard names.contains(member.name) else {
                throw Fault("\(what) has no member '\(member.name.prefix(64))'", id: id)
            }
            guard seen.insert(member.name).inserted else { throw Fault("'\(member.name)' is there twice", id: id) }
        }
    }

    private static func token(_ object: JSONObject, _ id: JSONValue?) throws(Fault) -> String {
        guard let auth = object.object("auth"), let token = auth.string("token"), auth.members.count == 1,
            (1...1024).contains(token.utf8.count)
        else { throw Fault("'auth' is {\"token\": TEXT}", id: id) }
        return token
    }

    private static func call(_ object: JSONObject, _ id: JSONValue) throws(Fault) -> ClientFrame {
        guard let name = object.string("call"), (1...64).contains(name.utf8.count) else {
            throw Fault("'call' is the name of an operation", id: id)
        }
        guard let input = (object["input"] ?? .object([:])).objectValue else {
            throw Fault("'input' is an object", id: id)
        }
        var options = CallOptions()
        if let wait = object["wait"] {
            guard let seconds = wait.doubleValue, (0...10).contains(seconds) else {
                throw Fault("'wait' is a number of seconds from 0 to 10", id: id)
            }
            options.wait = .milliseconds(Int64((seconds * 1000).rounded()))
        }
        if let key = object["idempotency_key"] {
            guard let text = key.stringValue, (1...255).contains(text.count), text.utf8.count <= 1020 else {
                throw Fault("'idempotency_key' is a text of 1 to 255 characters", id: id)
            }
            options.idempotencyKey = text
        }
        return .call(id: id, name: name, input: input, options: options)
    }

    private static func subscribe(_ object: JSONObject, _ id: JSONValue) throws(Fault) -> ClientFrame {
        guard let wish = object.object("subscribe") else {
            throw Fault("'subscribe' is {\"topics\": […], \"from\": \"BOOT.SEQ\"}; both may be missing", id: id)
        }
        try Self.check(wish, ["topics", "from"], of: "'subscribe'", id: id)
        var position: JournalPosition?
        if let from = wish["from"] {
            position = from.stringValue.flatMap { JournalPosition($0) }
            guard position != nil else { throw Fault("'from' is BOOT.SEQ, as an event says it", id: id) }
        }
        guard let list = wish["topics"] else { return .subscribe(id: id, topics: .all, from: position) }
        guard let topics = list.arrayValue, (1...EventTopics.maximumCount).contains(topics.count) else {
            throw Fault("'topics' are 1 to \(EventTopics.maximumCount) objects", id: id)
        }
        var read: [EventTopics.Topic] = []
        for topic in topics { read.append(try Self.topic(topic, id)) }
        return .subscribe(id: id, topics: EventTopics(read), from: position)
    }

    private static func topic(_ value: JSONValue, _ id: JSONValue) throws(Fault) -> EventTopics.Topic {
        guard let object = value.objectValue else { throw Fault("a topic is an object", id: id) }
        try Self.check(object, ["type", "device", "namespace"], of: "a topic", id: id)
        for member in object.members {
            guard let text = member.value.stringValue, EventTopics.isTopicText(text) else {
                throw Fault(
                    "'\(member.name)' of a topic is a text of 1 to \(EventTopics.maximumText) bytes", id: id)
            }
        }
        return EventTopics.Topic(
            type: DevicePattern(object.string("type") ?? (object["namespace"] == nil ? "*" : EventTopics.messages)),
            device: object.string("device").map { DevicePattern($0) }, namespace: object.string("namespace"))
    }
}

extension EventTopics {
    /// Most topics of one subscription.
    static let maximumCount = 64
    /// Most bytes of a pattern or a namespace.
    static let maximumText = 256
    /// The type of custom messages.
    static let messages = "channel.message"

    static func isTopicText(_ text: String) -> Bool { (1...Self.maximumText).contains(text.utf8.count) }
}
