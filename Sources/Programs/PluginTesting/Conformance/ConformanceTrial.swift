import CastWire
import NIOCore
import PluginKit

/// One case on one process: what cases have in common.
final class ConformanceTrial {
    let facts: PluginFacts
    let patience: Duration
    let bench: PluginBench
    /// A namespace and phase in which the plugin decides about messages; nil when it only observes.
    let claim: (namespace: String, phase: String, direction: String, type: String)?
    /// The same for what it observes.
    let observed: (namespace: String, direction: String, type: String)?

    init(_ suite: ConformanceSuite, stateDirectory: String) throws(SubjectError) {
        self.facts = suite.facts
        self.patience = suite.patience
        var setting = PluginBench.Setting()
        setting.identity = suite.facts.identity
        setting.config = suite.config
        setting.grant = suite.facts.grant
        setting.operations = suite.facts.operations
        self.bench = try PluginBench(suite.program, setting, stateDirectory: stateDirectory)
        let claims = suite.facts.claims.map { claim in
            (
                phase: claim.string("phase") ?? "", namespace: Self.namespace(claim.string("match") ?? "*"),
                direction: claim.array("directions")?.first?.stringValue ?? "to_receiver",
                type: claim.array("types")?.first?.stringValue ?? "CONFORMANCE"
            )
        }
        self.claim = claims.first { $0.phase == "handle" || $0.phase == "filter" }
            .map { ($0.namespace, $0.phase, $0.direction, $0.type) }
        self.observed = claims.first { $0.phase == "observe" }.map { ($0.namespace, $0.direction, $0.type) }
    }

    private static func namespace(_ pattern: String) -> String {
        if pattern == "*" { return "urn:x-cast:com.example.conformance" }
        return pattern.hasSuffix(".*") ? pattern.dropLast(1) + "conformance" : pattern
    }

    // MARK: - The way to readiness

    /// Shakes hands and starts.
    func begin() throws {
        _ = try self.shakeHands()
        let id = self.bench.request("start", ["snapshot": .object(self.bench.setting.snapshot)])
        _ = try self.result(of: id, "start")
    }

    /// - Returns: the result of `initialize`.
    func shakeHands(_ extra: JSONObject = [:]) throws -> JSONObject {
        var params = self.bench.initializeParameters()
        for member in extra.members { params[member.name] = member.value }
        let id = self.bench.request("initialize", params)
        return try self.result(of: id, "initialize", within: self.patience)
    }

    // MARK: - Messages

    /// Sends a message that the plugin decides about.
    /// - Parameter flow: flows are told apart by it.
    /// - Returns: the request's id.
    @discardableResult
    func message(_ members: JSONObject = [:], flow: Int = 1, id: JSONValue? = nil) -> JSONValue {
        guard let claim else { return .null }
        return self.bench.request("message", self.messageParameters(members, claim, flow: flow), id: id)
    }

    func messageParameters(
        _ members: JSONObject, _ claim: (namespace: String, phase: String, direction: String, type: String), flow: Int
    ) -> JSONObject {
        var given: JSONObject = [
            "namespace": .string(claim.namespace), "direction": .string(claim.direction),
            "source": .string("sender-\(flow)"),
            "connection": .number(flow),
        ]
        for member in members.members { given[member.name] = member.value }
        if given["payload"] == nil, given["payloadB64"] == nil {
            given["payload"] = ["type": .string(claim.type), "requestId": 1]
        }
        return [
            "phase": .string(claim.phase), "deadlineMs": 1000, "message": .object(self.bench.message(given)),
        ]
    }

    /// Waits for the answer to a message, which has to be a verdict that its phase allows. An error answer is one too:
    /// it costs the message, and nothing else.
    func verdict(on id: JSONValue) throws {
        try self.judge(try self.answer(to: id, "message"))
    }

    /// Checks that an answer to a message is a verdict or an error.
    func judge(_ answer: Answer) throws {
        guard let result = answer.result else { return }
        let verdict: Verdict
        do {
            let id = PluginRequestID.number(0)
            verdict = try RPCResponse(id, result: result.objectValue ?? ["disposition": result]).verdict()
        } catch {
            throw ConformanceBreach(
                "answered with a verdict that the gateway cannot read: \(error). It was \(result.text.shortened)")
        }
        let isFilter = self.claim?.phase == "filter"
        let isAllowed =
            switch verdict.disposition {
            case .pass, .reply, .reject, .drop: true
            case .rewrite: isFilter
            case .deferred, .forward, .handled: !isFilter
            case .handOver: false
            }
        guard isAllowed else {
            throw ConformanceBreach(
                "decided \(result.objectValue?.string("disposition") ?? "") in the phase \(self.claim?.phase ?? ""), which does not allow it"
            )
        }
        if let object = result.objectValue { self.bench.carryOut(effectsOf: object, about: answer.id) }
    }

    // MARK: - Answers

    struct Answer {
        let id: JSONValue
        let result: JSONValue?
        let error: JSONObject?
    }

    /// Waits for the next answer to any request. What the plugin asks meanwhile is granted.
    func nextAnswer(_ what: String, within patience: Duration? = nil) throws -> Answer {
        while true {
            let heard = self.bench.hear(within: patience ?? self.patience)
            switch heard {
            case .answer(let id, let result, let error): return Answer(id: id, result: result, error: error)
            case .request(let id, let method, let params):
                if let error = self.bench.refusal(of: method, params) {
                    self.bench.refuse(id, error: .object(error.json))
                } else {
                    self.bench.answer(id, result: [:])
                }
            case .notification: continue
            case .noise: throw ConformanceBreach(heard.summary)
            case .closed:
                let ending = self.bench.process.awaitEnding(until: .now + .seconds(2))
                throw ConformanceBreach(
                    "\(heard.summary) instead of answering \(what)" + (ending.map { ", and \($0)" } ?? ""))
            case .silence:
                let unfinished = self.bench.process.unfinishedText
                let hint = unfinished.isEmpty ? "" : "; it wrote this, without a newline: \(unfinished.shortened)"
                throw ConformanceBreach("did not answer \(what) within \(patience ?? self.patience)\(hint)")
            }
        }
    }

    /// Waits for the answer to one request; an answer to another is a breach.
    func answer(to id: JSONValue, _ what: String, within patience: Duration? = nil) throws
        -> Answer
    {
        let answer = try self.nextAnswer(what, within: patience)
        guard answer.id == id else {
            throw ConformanceBreach(
                "answered a request with the id \(answer.id.text), but the one that was asked is \(what) with the id \(id.text)"
            )
        }
        return answer
    }

    /// Waits for an answer that is a result, and an object.
    func result(of id: JSONValue, _ what: String, within patience: Duration? = nil) throws
        -> JSONObject
    {
        let answer = try self.answer(to: id, what, within: patience)
        guard let result = answer.result else {
            throw ConformanceBreach(
                "refused \(what): \(answer.error?.string("message") ?? "") (\(answer.error?.int("code") ?? 0))")
        }
        guard let object = result.objectValue else {
            throw ConformanceBreach("answered \(what) with \(result.text.shortened), which is no object")
        }
        return object
    }

    /// Asks for the plugin's health: an answer, and no other line before it, shows that nothing is pending or broken.
    func checkHealth(after what: String) throws {
        let id = self.bench.request("health")
        let answer = try self.nextAnswer("health, after \(what),")
        guard answer.id == id else {
            throw ConformanceBreach(
                "said something unasked, after \(what): an answer with the id \(answer.id.text)")
        }
        guard let result = answer.result?.objectValue else {
            throw ConformanceBreach("did not answer health with an object, after \(what)")
        }
        if let status = result["status"], !["ok", "degraded", "failing"].contains(status.stringValue) {
            throw ConformanceBreach(
                "answered health with the status \(status.text); there are ok, degraded and failing")
        }
    }

    /// Waits for the process to end by itself, with status 0.
    func checkEnding(after what: String, within patience: Duration? = nil) throws {
        let patience = patience ?? self.patience / 2
        guard let ending = self.bench.process.awaitEnding(until: .now + patience) else {
            throw ConformanceBreach("still runs \(patience) after \(what)")
        }
        guard ending == .exited(0) else { throw ConformanceBreach("\(ending) after \(what), instead of with 0") }
    }
}
