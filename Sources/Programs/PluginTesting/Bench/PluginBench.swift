import CastWire
import PluginHosting
import PluginKit

/// The gateway's end of the wire, for one plugin under test: numbers requests, tells what the plugin says, and answers
/// what can be answered without thinking.
final class PluginBench {
    /// The setting that the plugin is started with.
    struct Setting {
        var instance = "test"
        /// The manifest's `id` and `version`.
        var identity: JSONObject = [:]
        var config: JSONObject = [:]
        var grant = PluginGrant()
        /// The operations of the manifest.
        var operations: [PluginOperation] = []
        var snapshot: JSONObject = ["devices": [], "sessions": []]
        var store: [(key: String, value: JSONValue)] = []
        /// Unix time in milliseconds for a clock that the bench moves; nil leaves the plugin its own.
        var now: Int?
    }

    let process: SubjectProcess
    let stateDirectory: String
    let setting: Setting
    private(set) var store: [(key: String, value: JSONValue)]
    private var requests = 0
    private var messages = 0
    private var calls = 0
    /// The operations that the plugin does, by the ids of the calls and of the requests.
    private var operations: [String: PluginOperation] = [:]
    /// The number of the plugin's requests that were answered. A plugin that gets an answer may send more.
    private(set) var answered = 0

    /// The plugin's log records, and what it asked of the store: not part of what it is judged by.
    var asides: [String] = []

    /// The bounds of the plugin's grant.
    let bounds: PluginBounds
    private(set) var heard = HeardPlaces()
    /// The messages that the plugin was asked about, by the id of the request and by their own.
    private(set) var asked: [String: JSONObject] = [:]
    /// The refusals of what the plugin wanted and its grant does not cover, since they were taken last.
    var refusals: [NotGranted] = []

    init(_ program: SubjectProgram, _ setting: Setting, stateDirectory: String) throws(SubjectError) {
        self.stateDirectory = stateDirectory
        self.process = try SubjectProcess(program, stateDirectory: stateDirectory)
        self.setting = setting
        self.store = setting.store
        self.bounds = PluginBounds(setting.grant)
    }

    // MARK: - Saying

    @discardableResult
    func write(_ text: String, within patience: Duration = .seconds(10)) -> Bool {
        self.process.write(Array(text.utf8), until: .now + patience)
    }

    /// Sends a request under the next number, or a given id.
    @discardableResult
    func request(_ method: String, _ params: JSONObject = [:], id given: JSONValue? = nil) -> JSONValue {
        let id = given ?? self.nextID()
        if method == "message", let message = params.object("message") {
            self.asked[id.text] = message
            self.asked[message["id"]?.text ?? ""] = message
        }
        let line: JSONValue = ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params)]
        self.write(line.text + "\n")
        return id
    }

    func nextID() -> JSONValue {
        self.requests += 1
        return .number(self.requests)
    }

    func notify(_ method: String, _ params: JSONObject) {
        self.write(
            JSONValue.object(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)]).text + "\n")
    }

    func answer(_ id: JSONValue, result: JSONValue) {
        self.answered += 1
        self.write(JSONValue.object(["jsonrpc": "2.0", "id": id, "result": result]).text + "\n")
    }

    func refuse(_ id: JSONValue, error: JSONValue) {
        self.answered += 1
        self.write(JSONValue.object(["jsonrpc": "2.0", "id": id, "error": error]).text + "\n")
    }

    /// Completes a message, under the next number.
    func message(_ given: JSONObject) -> JSONObject {
        self.messages += 1
        let message = BenchMessage.completed(given, number: self.messages)
        self.heard.hear(
            device: message.string("device") ?? "", leg: Self.leg(of: message), session: message.string("session"))
        return message
    }

    /// The leg of the connection that a message passes.
    fileprivate static func leg(of message: JSONObject) -> MessageLeg {
        message.string("leg").flatMap(MessageLeg.init(rawValue:)) ?? .sender
    }

    /// Completes the parameters of a call of an operation, under the next number.
    /// - Returns: the parameters, and what the gateway would refuse the call with; nil when it would not.
    func operation(_ name: String, _ given: JSONObject, id: JSONValue) -> (params: JSONObject, fault: String?) {
        self.calls += 1
        let call = given.string("call") ?? "c-\(self.calls)"
        var input = given.object("input") ?? [:]
        var fault: String?
        if let operation = self.setting.operations.first(where: { $0.name == name }) {
            fault = operation.complete(&input)
            self.operations[call] = operation
            self.operations[id.text] = operation
        } else if !self.setting.grant.provides.contains(where: { name.hasPrefix("\($0).") }) {
            fault = "the manifest declares no operation '\(name)'"
        }
        // What a plugin provides is asked for by the gateway itself.
        let own: JSONObject =
            name.contains(".") ? ["name": "gateway"] : ["name": "test", "scopes": ["read", "control"]]
        let caller = given.object("caller") ?? own
        var params: JSONObject = [
            "call": .string(call), "operation": .string(name), "input": .object(input), "caller": .object(caller),
            "deadlineMs": given["deadlineMs"] ?? 10_000,
        ]
        params["request"] = given["request"]
        return (params, fault)
    }

    /// Describes how an outcome is not as the manifest says; nil when it is, or nothing is known of the call.
    /// - Parameter id: the request that is answered, or the call that ends.
    func fault(ofOperation id: JSONValue, result: JSONObject) -> String? {
        guard let operation = self.operations[id.stringValue ?? id.text] ?? self.operations[id.text] else { return nil }
        return operation.fault(ofAnswer: result).map {
            "the gateway would refuse what '\(operation.name)' answers: \($0)"
        }
    }

    /// The parameters of `initialize`.
    func initializeParameters(minimum: Int = 1, maximum: Int = 1) -> JSONObject {
        var params: JSONObject = [
            "protocol": ["min": .number(minimum), "max": .number(maximum)],
            "gateway": ["id": "test", "name": "Castway", "version": "0.0.0"],
            "plugin": .object(self.setting.identity),
            "instance": .string(self.setting.instance),
            "features": .array(
                (["defer", "operations", "calls"] + (self.setting.now == nil ? [] : ["test.clock"])).map { .string($0) }
            ),
            "limits": [
                "maxInFlight": 32, "maxLine": 1_048_576, "deadlineMs": ["filter": 250, "handle": 1000],
                "maxDeadlineMs": 10_000,
            ],
            "grant": .object(self.setting.grant.json), "config": .object(self.setting.config),
            "stateDir": .string(self.stateDirectory),
        ]
        if let now = self.setting.now { params["clock"] = ["now": .number(now)] }
        return params
    }

    // MARK: - Hearing

    /// Returns the plugin's next utterance that is not answered or noted here.
    func hear(within patience: Duration) -> Utterance {
        let deadline = ContinuousClock.now + patience
        while true {
            switch self.process.read(until: deadline) {
            case .silence: return .silence
            case .closed(let rest): return .closed(rest: String(decoding: rest, as: UTF8.self))
            case .line(let line):
                let utterance = Utterance(line: line)
                if !self.settle(utterance) { return utterance }
            }
        }
    }

    /// Answers what needs no thinking.
    private func settle(_ utterance: Utterance) -> Bool {
        switch utterance {
        case .notification("log", let params):
            let fields = (params.object("fields")?.members ?? []).map {
                " \($0.name)=\($0.value.stringValue ?? $0.value.text)"
            }
            self.asides.append(
                "log \(params.string("level") ?? "?"): \(params.string("message") ?? "")\(fields.joined())")
            return true
        case .request(let id, "gateway.query", let params):
            self.answer(id, result: self.known(params))
            return true
        case .request(let id, let method, let params) where method.hasPrefix("kv."):
            if let error = self.refusal(of: method, params) {
                self.refuse(id, error: .object(error.json))
                return true
            }
            guard let result = self.stored(method, params) else { return false }
            self.asides.append("\(method) \(params.string("key") ?? "")")
            self.answer(id, result: result)
            return true
        default: return false
        }
    }

    private func known(_ params: JSONObject) -> JSONValue {
        let what = params.string("what") ?? ""
        let entries = (self.setting.snapshot.array(what) ?? []).filter { entry in
            guard let device = entry.objectValue?.string(what == "devices" ? "name" : "device") else { return true }
            return self.bounds.allows(device: device) && (params.string("device") ?? device) == device
        }
        return [what: .array(entries)]
    }

    private func stored(_ method: String, _ params: JSONObject) -> JSONValue? {
        let key = params.string("key") ?? ""
        switch method {
        case "kv.get":
            let value = self.store.first { $0.key == key }?.value
            return .object(JSONObject(value.map { [("value", $0)] } ?? []))
        case "kv.put":
            self.keep(key, params["value"])
            return [:]
        case "kv.delete":
            self.keep(key, nil)
            return [:]
        case "kv.list":
            let prefix = params.string("prefix") ?? ""
            let keys = self.store.map(\.key).filter { $0.hasPrefix(prefix) }.sorted()
            return ["keys": .array(keys.map { .string($0) })]
        default: return nil
        }
    }

    /// Keeps a value, or forgets it.
    func keep(_ key: String, _ value: JSONValue?) {
        self.store.removeAll { $0.key == key }
        if let value { self.store.append((key, value)) }
    }
}

/// The refusals of the gateway; judged by the gateway's own ``PluginBounds``.
extension PluginBench {
    /// The error with which the gateway would answer a request of the plugin's; nil when it would do what is asked.
    func refusal(of name: String, _ params: JSONObject) -> PluginRPCError? {
        let unknown = PluginRPCError(.methodNotFound, "there is no method '\(name)'")
        guard let method = PluginMethod(rawValue: name) else { return unknown }
        do throws(PluginWireError) {
            guard let call = try PluginCall(method, ObjectReader(params, at: "params")) else { return unknown }
            switch self.bounds.admitted(call, heard: self.heard) {
            case .success(.put(let key, let value)): return self.storeError(key, value)
            case .success: return nil
            case .failure(let refusal):
                self.refusals.append(refusal)
                return refusal.error
            }
        } catch {
            return PluginRPCError(.invalidParameters, error.description)
        }
    }

    /// Takes out what the plugin wanted and its grant does not cover, since this was called last.
    func takeRefusals() -> [NotGranted] {
        defer { self.refusals = [] }
        return self.refusals
    }

    /// Carries out what a verdict stores, and notes the effects that the gateway would refuse.
    /// - Parameter id: the request that the verdict answers, or the message that it completes.
    func carryOut(effectsOf verdict: JSONObject, about id: JSONValue) {
        let reader = ObjectReader(verdict, at: "result")
        guard verdict["effects"] != nil, let effects: [Effect] = try? reader.optional("effects") else { return }
        let message = self.asked[id.text]
        let namespace = Namespace(rawValue: message?.string("namespace") ?? "")
        let answersAll = message?.string("direction") == "to_sender" && message?.string("destination") == "*"
        for effect in effects {
            let leg = message.map(Self.leg) ?? .sender
            if let refusal = self.bounds.refusal(of: effect, in: namespace, on: leg, answersAll: answersAll) {
                self.refusals.append(refusal)
                continue
            }
            switch effect {
            case .put(let key, let value):
                if let error = self.storeError(key, value) {
                    self.asides.append("log warning: An effect failed: \(error)")
                } else {
                    self.keep(key, value)
                }
            case .delete(let key): self.keep(key, nil)
            default: break
            }
        }
    }

    /// The reason the gateway would not keep a value; nil when it would.
    private func storeError(_ key: String, _ value: JSONValue) -> PluginRPCError? {
        guard (1...PluginDatabase.maximumKeyLength).contains(key.utf8.count) else {
            return PluginRPCError(.invalidParameters, "a key has 1 to \(PluginDatabase.maximumKeyLength) bytes")
        }
        let others = self.store.filter { $0.key != key }
        let length = others.reduce(PluginDatabase.length(of: key, value.text)) {
            $0 + PluginDatabase.length(of: $1.key, $1.value.text)
        }
        let quota = self.bounds.grant.storage
        return length <= quota
            ? nil : PluginRPCError(.tooLarge, "the store is full: grant.storage is \(quota) bytes")
    }
}

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
