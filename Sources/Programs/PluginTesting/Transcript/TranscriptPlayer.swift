import CastWire
package import GatewayConfig
import NIOCore
import PluginHosting
import PluginKit

/// Plays a transcript to a plugin.
///
/// It blocks the thread that it runs on.
package final class TranscriptPlayer {
    private let transcript: Transcript
    private let program: SubjectProgram
    private let folder: ScratchFolder
    private var setting = PluginBench.Setting()
    private var bench: PluginBench
    /// True if the plugin lets its time be moved.
    private var movesTime = false
    private var now: Int
    private var findings: [TranscriptFinding] = []
    private var updated: [String] = []
    /// Requests of the plugin that the transcript answers, with what the gateway would refuse them with.
    private var unanswered: [(id: JSONValue, refusal: PluginRPCError?)] = []
    private var latest: JSONValue = .null
    private var asked = 0
    private var isShutDown = false
    /// While the plugin is asked to end, so that its end is no surprise.
    private var isEnding = false
    /// The line that is being played.
    private var line = 1
    private var asides: [String] = []

    private static let patience = Duration.seconds(10)

    /// Prepares to play a transcript.
    /// - Parameter schema: what the configuration has to fit, and whose defaults are filled in.
    /// - Throws: ``SubjectError`` when the plugin's process cannot be started.
    package init(_ transcript: Transcript, _ program: SubjectProgram, schema: ValueSchema? = nil) throws(SubjectError) {
        self.transcript = transcript
        self.folder = try ScratchFolder()
        self.program = program
        let given = transcript.setting
        self.now = given.string("now").flatMap(UnixTime.milliseconds) ?? 1_767_225_600_000
        let completion = PluginConfigCompletion(transcript.config, schema: schema)
        self.setting.config = completion.config
        self.findings = completion.problems.map {
            TranscriptFinding(line: 1, text: "the configuration does not fit the plugin's schema: \($0)")
        }
        let facts = PluginFacts(program.instance.manifest)
        self.setting.identity = facts.identity
        self.setting.grant = facts.grant
        self.setting.operations = facts.operations
        if let object = given.object("grant") {
            do throws(PluginWireError) {
                self.setting.grant = try PluginGrant(ObjectReader(object, at: "grant"))
            } catch {
                self.findings.append(TranscriptFinding(line: 1, text: "the grant cannot be read: \(error)"))
            }
        }
        for (name, value) in given.object("snapshot")?.members ?? [] { self.setting.snapshot[name] = value }
        self.setting.store = given.object("kv")?.members.map { (key: $0.name, value: $0.value) } ?? []
        self.setting.now = self.now
        for (name, value) in given.object("files")?.members ?? [] where !name.contains("/") {
            FileText.write(value.stringValue ?? value.text, to: "\(self.folder.path)/\(name)")
        }
        self.bench = try PluginBench(self.program, self.setting, stateDirectory: self.folder.path)
    }

    package func play() throws(SubjectError) -> TranscriptReport {
        let scenes = self.transcript.scenes
        for (index, scene) in scenes.enumerated() {
            let next = scenes[(index + 1)...].first { $0.cause?.step != nil }
            guard try self.play(scene, isAnsweredNext: next?.cause?.step?.isAnswer ?? false) else { break }
        }
        if !self.isShutDown { self.shutDown(at: self.transcript.lines.last?.number ?? 1) }
        self.bench.process.end()
        return TranscriptReport(
            findings: self.findings, updated: self.updated.map { $0 + "\n" }.joined(),
            asides: self.asides + self.bench.asides,
            errors: self.bench.process.errorText.split(separator: "\n").suffix(12).map { String($0).shortened })
    }

    private func find(_ line: Int, _ text: String) {
        self.findings.append(TranscriptFinding(line: line, text: text))
    }

    // MARK: - Scenes

    /// - Returns: false when it makes no sense to go on.
    private func play(_ scene: Transcript.Scene, isAnsweredNext: Bool) throws(SubjectError) -> Bool {
        let line = scene.cause?.number ?? 1
        self.line = line
        self.updated += scene.preface.map(\.text)
        if let cause = scene.cause { self.updated.append(cause.text) }
        self.updated += scene.remarks.map(\.text)
        let expected = scene.expected.count
        var heard: [JSONObject] = []
        switch scene.cause?.step {
        case .setting?: heard = self.begin(at: line)
        case nil where scene.cause == nil: heard = self.begin(at: line)
        case nil, .hears?: break
        case .says(let json)?:
            self.say(json, at: line)
            heard = self.listen(expected: expected, isAnsweredNext: isAnsweredNext)
        case .advances(let duration)?:
            guard self.movesTime else {
                self.find(line, "the plugin does not let its time be moved; its kit has to know the feature test.clock")
                return false
            }
            self.now += Int(duration / .milliseconds(1))
            heard = self.listen(expected: expected, isAnsweredNext: isAnsweredNext)
        case .restarts?:
            heard = self.shutDown(at: line)
            self.asides += self.bench.asides
            self.setting.store = self.bench.store
            self.setting.now = self.now
            self.bench = try PluginBench(self.program, self.setting, stateDirectory: self.folder.path)
            self.unanswered = []
            heard += self.begin(at: line)
        case .holds(let json)?: self.compareStore(with: json, at: line)
        case .writes(let file, let lines)?: self.compareFile(file, with: lines, at: line)
        }
        self.compare(scene, heard, at: line)
        for refusal in self.bench.takeRefusals() {
            self.find(line, "the gateway would refuse this: not granted: \(refusal.what)")
        }
        return !self.isShutDown || self.findings.isEmpty
    }

    private func begin(at line: Int) -> [JSONObject] {
        var heard: [JSONObject] = []
        for (method, params) in [
            ("initialize", self.bench.initializeParameters()),
            ("start", ["snapshot": .object(self.bench.setting.snapshot)]),
        ] as [(String, JSONObject)] {
            let id = self.bench.request(method, params, id: .string("begin-\(method)"))
            let (result, others) = self.gather(until: id, holdingFrom: .max)
            heard += others
            guard let result = result?.result?.objectValue else {
                let reason = result?.error.map { "refused it with \(JSONValue.object($0).text.shortened)" }
                self.find(line, "\(method): the plugin \(reason ?? "did not answer")")
                self.isShutDown = true
                return heard
            }
            if method == "initialize" {
                self.movesTime = result.array("features")?.contains("test.clock") ?? false
            }
        }
        return heard + self.listen(expected: 0, isAnsweredNext: false)
    }

    @discardableResult
    private func shutDown(at line: Int) -> [JSONObject] {
        self.isEnding = true
        defer { self.isEnding = false }
        var heard: [JSONObject] = []
        for (method, params) in [("drain", ["deadlineMs": 5000]), ("shutdown", [:])] as [(String, JSONObject)] {
            let id = self.bench.request(method, params, id: .string("end-\(method)"))
            let (result, others) = self.gather(until: id, holdingFrom: .max)
            heard += others
            if result?.result == nil {
                self.find(line, "\(method): the plugin did not answer it with a result")
                return heard
            }
        }
        let ending = self.bench.process.awaitEnding(until: .now + .seconds(5))
        if ending != .exited(0) {
            self.find(line, "the plugin \(ending?.description ?? "still runs") after shutdown; it should exit with 0")
        }
        return heard
    }

    // MARK: - Saying

    private func say(_ json: JSONObject, at line: Int) {
        for phase in ["handle", "filter"] {
            guard let given = json.object(phase) else { continue }
            var params: JSONObject = ["phase": .string(phase), "deadlineMs": phase == "filter" ? 250 : 1000]
            params["message"] = .object(self.bench.message(given))
            self.request("message", params, id: json["id"])
            return
        }
        if let name = json.string("operation") {
            let id = json["id"] ?? .number(self.asked + 1)
            let (params, fault) = self.bench.operation(name, json, id: id)
            if let fault { self.find(line, "the gateway would refuse this call: \(fault)") }
            return self.request("operation.call", params, id: json["id"])
        }
        if let given = json.object("observe") {
            let message = self.bench.message(given)
            self.bench.notify(
                "event", ["type": "message", "message": .object(message), "dropped": json["dropped"] ?? 0])
        } else if let method = json.string("method") {
            let params = json.object("params") ?? [:]
            let isNotification = json.bool("notification") ?? ["event", "cancel", "request.abort"].contains(method)
            if isNotification { return self.bench.notify(method, params) }
            self.request(method, params, id: json["id"])
            self.isShutDown = self.isShutDown || method == "shutdown"
        } else if json["result"] != nil || json["error"] != nil {
            guard !self.unanswered.isEmpty else {
                return self.find(line, "the plugin has asked nothing that this could answer")
            }
            let (id, refusal) = self.unanswered.removeFirst()
            if let error = json["error"] { return self.bench.refuse(id, error: error) }
            if let refusal { self.find(line, "the gateway would refuse this: \(refusal.message)") }
            self.bench.answer(id, result: json["result"] ?? [:])
        } else {
            self.find(line, "in holds one of handle, filter, observe, operation, method, result, error")
        }
    }

    private func request(_ method: String, _ params: JSONObject, id: JSONValue?) {
        self.asked += 1
        self.latest = id ?? .number(self.asked)
        self.bench.request(method, params, id: self.latest)
    }

    // MARK: - Hearing

    private var settlements = 0

    /// Returns the plugin's lines until it has nothing more to say.
    private func listen(expected: Int, isAnsweredNext: Bool) -> [JSONObject] {
        let held = isAnsweredNext ? max(0, expected - 1) : .max
        guard !self.isShutDown else { return self.gather(until: nil, holdingFrom: held).others }
        var heard: [JSONObject] = []
        while true {
            self.settlements += 1
            let answered = self.bench.answered
            let id: JSONValue = .string("settle-\(self.settlements)")
            if self.movesTime {
                self.bench.request("clock.advance", ["now": .number(self.now)], id: id)
            } else {
                self.bench.request("health", id: id)
            }
            let (answer, others) = self.gather(until: id, holdingFrom: held, before: heard.count)
            heard += others
            // What was answered meanwhile can lead to more.
            if answer == nil { return heard }
            // Or the plugin has come to a timer, and there are more.
            let reached = answer?.result?.objectValue?.int("now") ?? self.now
            if !others.isEmpty || reached < self.now || self.bench.answered > answered { continue }
            guard heard.count < expected else { return heard }
            // The plugin is slower than it said; what is missing may still come.
            let more = self.gather(until: nil, holdingFrom: held, before: heard.count, atMost: 1).others
            guard !more.isEmpty else { return heard }
            heard += more
        }
    }

    private struct Answer {
        let result: JSONValue?
        let error: JSONObject?
    }

    /// Collects what the plugin says, up to the answer to a request, or to the end of patience.
    private func gather(
        until id: JSONValue?, holdingFrom held: Int, before: Int = 0, atMost most: Int = .max
    ) -> (answer: Answer?, others: [JSONObject]) {
        var others: [JSONObject] = []
        let deadline = ContinuousClock.now + Self.patience
        while others.count < most {
            let heard = self.bench.hear(within: deadline - .now)
            switch heard {
            case .answer(let answered, let result, let error):
                if answered == id { return (Answer(result: result, error: error), others) }
                // One that took longer than its scene.
                if answered.stringValue?.hasPrefix("settle-") ?? false { continue }
                var json: JSONObject = [:]
                if answered != self.latest { json["id"] = answered }
                if let result { json["result"] = result }
                if let error { json["error"] = .object(error) }
                if let done = result?.objectValue?.object("result"),
                    let fault = self.bench.fault(ofOperation: answered, result: done)
                {
                    self.find(self.line, fault)
                }
                if let verdict = result?.objectValue { self.bench.carryOut(effectsOf: verdict, about: answered) }
                others.append(json)
            case .request(let asked, let method, let params):
                let refusal = self.bench.refusal(of: method, params)
                if before + others.count >= held {
                    // Whether it is right to be refused is for the transcript to say.
                    _ = self.bench.takeRefusals()
                    self.unanswered.append((asked, refusal))
                } else if let refusal {
                    self.bench.refuse(asked, error: .object(refusal.json))
                    if refusal.code != .notGranted {
                        self.find(self.line, "the gateway would refuse \(method): \(refusal.message)")
                    }
                } else {
                    self.bench.answer(asked, result: [:])
                }
                others.append(["method": .string(method), "params": .object(params)])
            case .notification(let method, let params):
                if method == "request.complete",
                    let fault = self.bench.fault(
                        ofOperation: params["call"] ?? .null, result: params.object("result") ?? [:])
                {
                    self.find(self.line, fault)
                }
                if method == "message.complete" {
                    self.bench.carryOut(effectsOf: params, about: params["messageId"] ?? .null)
                }
                others.append(["method": .string(method), "params": .object(params)])
            case .noise(let line, let reason):
                others.append(["noise": .string(line.shortened), "since": .string(reason)])
            case .closed:
                self.noticeEnding()
                return (nil, others)
            case .silence: return (nil, others)
            }
        }
        return (nil, others)
    }

    /// The plugin is gone, and was not asked to go.
    private func noticeEnding() {
        guard !self.isEnding, !self.isShutDown else { return }
        let ending = self.bench.process.awaitEnding(until: .now + .seconds(2))
        self.find(self.line, "the plugin \(ending?.description ?? "closed its output")")
        self.isShutDown = true
    }

    // MARK: - Comparing

    private func compare(_ scene: Transcript.Scene, _ heard: [JSONObject], at line: Int) {
        for (index, said) in heard.enumerated() {
            let value = JSONValue.object(said)
            guard index < scene.expected.count else {
                self.find(
                    scene.expected.last?.line.number ?? line, "the plugin says more than stands here: \(value.text)")
                self.updated.append(Self.line(said))
                continue
            }
            let expected = scene.expected[index]
            if JSONValue.object(expected.json).matches(value) {
                self.updated.append(expected.line.text)
            } else {
                self.find(
                    expected.line.number,
                    "the plugin says something else\n  expected \(JSONValue.object(expected.json).text)\n  said     \(value.text)"
                )
                self.updated.append(Self.line(said))
            }
        }
        for expected in scene.expected.dropFirst(heard.count) {
            self.find(expected.line.number, "the plugin does not say it")
        }
    }

    /// Writes an utterance as a transcript has it: a payload that holds JSON as that JSON.
    private static func line(_ said: JSONObject) -> String {
        JSONValue.object(["out": Self.readable(.object(said))]).text
    }

    private static func readable(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            var shown = JSONObject()
            for member in object.members {
                let held =
                    member.name == "payload" ? member.value.stringValue.flatMap { try? JSONReader.read($0) } : nil
                shown[member.name] = held?.objectValue != nil ? held : Self.readable(member.value)
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map(Self.readable))
        default: return value
        }
    }

    private func compareStore(with expected: JSONObject, at line: Int) {
        let held = JSONObject(self.bench.store.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        guard !JSONValue.object(expected).matches(.object(held)) else { return }
        self.find(
            line,
            "the store holds something else\n  expected \(JSONValue.object(expected).text)\n  holds    \(JSONValue.object(held).text)"
        )
        self.updated[self.updated.count - 1] = JSONValue.object(["kv": .object(held)]).text
    }

    private func compareFile(_ name: String, with expected: [JSONValue], at line: Int) {
        guard let text = FileText.read("\(self.folder.path)/\(name)") else {
            return self.find(line, "there is no file \(name) in the state directory")
        }
        let lines = text.split(separator: "\n").map { line in
            (try? JSONReader.read(String(line))) ?? .string(String(line))
        }
        guard !JSONValue.array(expected).matches(.array(lines)) else { return }
        self.find(
            line,
            "\(name) holds something else\n  expected \(JSONValue.array(expected).text)\n  holds    \(JSONValue.array(lines).text)"
        )
        self.updated[self.updated.count - 1] = JSONValue.object(["file": .string(name), "lines": .array(lines)]).text
    }
}
