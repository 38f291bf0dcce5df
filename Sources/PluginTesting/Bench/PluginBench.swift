import CastWire
import PluginHosting
import PluginKit

/// The gateway's end of the wire, for one plugin under test: numbers requests, tells what the plugin says, and answers
/// what can be answered without thinking.
final class PluginBench {
    /// What the plugin is started with.
    struct Setting {
        var instance = "test"
        /// What the manifest says of the plugin: `id` and `version`.
        var identity: JSONObject = [:]
        var config: JSONObject = [:]
        var grant = PluginGrant()
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
    /// How many of the plugin's requests were answered. Whoever gets an answer may have more to say.
    private(set) var answered = 0

    /// The plugin's log records, and what it asked of the store: not part of what it is judged by.
    var asides: [String] = []

    /// What the gateway would have allowed.
    let bounds: PluginBounds
    private(set) var heard = HeardPlaces()
    /// The messages that the plugin was asked about, by the id of the request and by their own.
    private(set) var asked: [String: JSONObject] = [:]
    /// What the plugin wanted and its grant does not cover, since it was taken last.
    var refusals: [NotGranted] = []

    init(_ program: SubjectProgram, _ setting: Setting, stateDirectory: String) throws(SubjectError) {
        self.stateDirectory = stateDirectory
        self.process = try SubjectProcess(program, stateDirectory: stateDirectory)
        self.setting = setting
        self.store = setting.store
        self.bounds = PluginBounds(setting.grant)
    }

    // MARK: - Saying

    /// Writes a line as it is.
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

    /// The number of the next request.
    func nextID() -> JSONValue {
        self.requests += 1
        return .number(self.requests)
    }

    /// Sends a notification.
    func notify(_ method: String, _ params: JSONObject) {
        self.write(
            JSONValue.object(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)]).text + "\n")
    }

    /// Answers a request of the plugin's.
    func answer(_ id: JSONValue, result: JSONValue) {
        self.answered += 1
        self.write(JSONValue.object(["jsonrpc": "2.0", "id": id, "result": result]).text + "\n")
    }

    /// Refuses a request of the plugin's.
    func refuse(_ id: JSONValue, error: JSONValue) {
        self.answered += 1
        self.write(JSONValue.object(["jsonrpc": "2.0", "id": id, "error": error]).text + "\n")
    }

    /// Completes a message, under the next number.
    func message(_ given: JSONObject) -> JSONObject {
        self.messages += 1
        let message = BenchMessage.completed(given, number: self.messages)
        self.heard.hear(device: message.string("device") ?? "", session: message.string("session"))
        return message
    }

    /// The parameters of `initialize`.
    func initializeParameters(minimum: Int = 1, maximum: Int = 1) -> JSONObject {
        var params: JSONObject = [
            "protocol": ["min": .number(minimum), "max": .number(maximum)],
            "gateway": ["id": "test", "name": "Castway", "version": "0.0.0"],
            "plugin": .object(self.setting.identity),
            "instance": .string(self.setting.instance),
            "features": self.setting.now == nil ? ["defer"] : ["defer", "test.clock"],
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

    /// What the plugin says next that is not answered or noted here.
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
