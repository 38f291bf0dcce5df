import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import PluginHosting
import Testing

/// Plugins of a whole gateway, asked by a sender over TLS.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PluginTests {
    @Test func aSenderIsAnsweredByAProcess() async throws {
        try await PluginStage.run { stage in
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                let answer = try await sender.tell(10, at: transport)
                #expect(answer.string("version") == "1.0")
                #expect(answer.string("mood") == "good")
            }
        }
    }

    /// Every request is answered once, by one version or the other, while the plugin changes under the sender.
    @Test func nothingIsLostOrDoubledWhileThePluginChanges() async throws {
        try await PluginStage.run { stage in
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                let first = try await sender.tell(10, at: transport)
                for round in 0..<6 {
                    // Twenty are on their way while the reload happens.
                    let ids = (100 + round * 100)..<(120 + round * 100)
                    for id in ids {
                        try await sender.send(
                            ["type": "TELL", "requestId": .number(id)], in: PluginStage.namespace, to: transport)
                    }
                    if round % 2 == 0 { try stage.install("2.\(round)") }
                    let mood = round % 2 == 0 ? "good" : "better \(round)"
                    _ = try await stage.reload(PluginStage.instance("config: {mood: \"\(mood)\"}")).get()
                    var answered: [Int] = []
                    while answered.count < ids.count {
                        let message = try #require(
                            try await sender.receive { $0.namespace == PluginStage.namespace })
                        let json = try #require(message.payload.jsonObject)
                        #expect(json.string("version") != nil, "\(json)")
                        answered.append(try #require(json.int("requestId")))
                    }
                    #expect(answered == Array(ids))
                    let now = try await sender.tell(ids.upperBound, at: transport)
                    #expect(now.string("mood") == mood)
                }
                let last = try await sender.tell(11, at: transport)
                #expect(last.string("version") == "2.4")
                #expect(last.int("pid") != first.int("pid"))
                let status = try await sender.status(requestID: 12)
                #expect(status.applications.first?.transportID == transport)
            }
        }
    }

    @Test func whatAPluginRefusesIsShownInTheFile() async throws {
        try await PluginStage.run { stage in
            let outcome = try await stage.reload(PluginStage.instance("config: {other: 1, mood: bad}"))
            guard case .failure(.invalid(let report)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let problem = try #require(report.problems.first)
            #expect(problem.code == .refusedByPlugin)
            #expect(problem.location.line == 12)
            #expect(problem.location.column == 32)
            #expect(problem.message == "'plugins.instances[].config.mood' must be good")
            #expect(problem.hint == "good")
            #expect(problem.excerpt == "      config: {other: 1, mood: bad}")
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                #expect(try await sender.tell(10, at: transport).string("mood") == "good")
            }
        }
    }

    @Test func pluginsComeAndGoWithTheFile() async throws {
        try await PluginStage.run("") { stage in
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                let plan = try await stage.reload(PluginStage.instance()).get()
                #expect(plan.changes.map(\.description) == ["plugins.instances.teller (plugin, added)"])
                #expect(try await sender.tell(10, at: transport).string("version") == "1.0")
                let removal = try await stage.reload("").get()
                #expect(removal.changes.map(\.description) == ["plugins.instances.teller (plugin, removed)"])
                #expect(stage.running.gateway.plugins.current.isEmpty)
                #expect(!stage.running.gateway.registry.table.entries.contains { $0.handler.name == "teller" })
                let status = try await sender.status(requestID: 12)
                #expect(status.applications.first?.transportID == transport)
            }
        }
    }

    @Test func whatFailsToComeUpIsNotPutInForce() async throws {
        try await PluginStage.run { stage in
            try stage.install("broken\"")
            let outcome = try await stage.reload(PluginStage.instance())
            guard case .failure = outcome else {
                Issue.record("\(outcome)")
                return
            }
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                #expect(try await sender.tell(10, at: transport).string("version") == "1.0")
            }
        }
    }

    @Test func aDisabledPluginIsNotStarted() async throws {
        try await PluginStage.run(PluginStage.instance("enabled: false")) { stage in
            #expect(stage.running.gateway.plugins["teller"]?.pluginState == .disabled)
            stage.running.gateway.plugins["teller"]?.enable()
            let ready = stage.running.gateway.events.subscribe { event in
                if case .plugin(_, .ready) = event { true } else { false }
            }
            if stage.running.gateway.plugins["teller"]?.isReady != true {
                _ = await ready.events.first { _ in true }
            }
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                #expect(try await sender.tell(10, at: transport).string("version") == "1.0")
            }
        }
    }
}
