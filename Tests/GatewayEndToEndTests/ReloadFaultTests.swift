import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import PluginHosting
import Testing

/// Reloads with a new version of a plugin that is of no use: the old one goes on, and the reload says why.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ReloadFaultTests {
    /// What a reload says of a fault: the code, and a part of the text with the place in it.
    private static func complaint(_ fault: PluginFault) -> (code: GatewayError.Code, text: [String]) {
        let place = "gateway.yaml:9:7: the plugin 'teller' does not come up: "
        return switch fault {
        case .exits: (.reloadFailed, [place + "it exited with status 1"])
        case .silent: (.reloadFailed, [place + "the plugin did not answer in 1.0 seconds"])
        case .crashes: (.reloadFailed, [place + "signal 6 ended it"])
        case .hangs: (.reloadFailed, [place + "the plugin did not answer in 1.0 seconds"])
        case .needy: (.configurationInvalid, ["'teller' refuses its configuration: grant.storage is needed"])
        case .brokenManifest: (.configurationInvalid, ["plugin.yaml:4:1: error[CW1005]"])
        case .otherClaims:
            (.configurationInvalid, ["gateway.yaml:11:36: error[CW1080]", "'test.teller' does not ask for it"])
        }
    }

    /// The plugin with so much time to start. A plugin that never answers gets little, so that the test does not wait for long;
    /// any other as much as a busy machine may need to start Python.
    private static func instance(startTimeout: String = "60s") -> String {
        PluginStage.instance("config: {mood: good}\n      start_timeout: \(startTimeout)")
    }

    @Test(arguments: PluginFault.allCases) func theOldOneGoesOn(_ fault: PluginFault) async throws {
        let isSilent = fault == .silent || fault == .hangs
        try await PluginStage.run(Self.instance()) { stage in
            let log = stage.running.gateway.events.subscribe { if case .reloadFailed = $0 { true } else { false } }
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                let first = try await sender.tell(10, at: transport)

                try stage.install("2.0", fault: fault)
                let ids = 100..<120
                for id in ids {
                    try await sender.send(
                        ["type": "TELL", "requestId": .number(id)], in: PluginStage.namespace, to: transport)
                }
                let outcome = try await stage.reload(Self.instance(startTimeout: isSilent ? "1s" : "60s"))
                guard case .failure(let failure) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                let complaint = Self.complaint(fault)
                #expect(failure.error.code == complaint.code)
                var said = failure.description
                if case .invalid(let report) = failure { said += "\n" + report.text() }
                for text in complaint.text { #expect(said.contains(text), "\(said)") }
                guard case .reloadFailed(let reason) = await log.events.first(where: { _ in true }) else { return }
                #expect(reason == failure.description)

                try await Self.expectAnswers(to: ids, from: first, sender)
                // Nothing is left of the attempt, and another one is as good as the first.
                try stage.install("3.0")
                _ = try await stage.reload(Self.instance()).get()
                #expect(try await sender.tell(11, at: transport).string("version") == "3.0")
                let status = try await sender.status(requestID: 12)
                #expect(status.applications.first?.transportID == transport)
            }
        }
    }

    /// Expects one answer to each request, in order, by the process that answered before.
    private static func expectAnswers(
        to ids: Range<Int>, from first: JSONObject, _ sender: TestSender
    ) async throws {
        for id in ids {
            let answer = try #require(try await sender.receive { $0.namespace == PluginStage.namespace })
            let json = try #require(answer.payload.jsonObject)
            #expect(json.int("requestId") == id)
            #expect(json.string("version") == "1.0")
            #expect(json.int("pid") == first.int("pid"))
        }
    }

    /// A gateway that is told to stop while a reload tries out a plugin ends both.
    @Test func aGatewayStopsInTheMiddleOfAReload() async throws {
        let log = LogRecorder()
        let instance = Self.instance(startTimeout: "2s")
        let outcome = try await withThrowingTaskGroup(of: ReloadOutcome.self) { group in
            try await PluginStage.run("", makeLogger: { log.logger($0) }) { stage in
                try stage.install("2.0", fault: .hangs)
                group.addTask { try await stage.reload(instance) }
                while !log.entries.contains(where: { $0.message == "Plugin started" }) { await Task.yield() }
            }
            return try await group.next()
        }
        guard case .failure = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }
}
