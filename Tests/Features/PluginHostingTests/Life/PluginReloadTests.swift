import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import PluginKit
import Testing

@testable import PluginHosting

/// How plugins change while they run.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PluginReloadTests {
    /// A fleet with the bench's plugin in it, changed by one reload.
    private static func reload(
        _ bench: PluginBench, to instances: [PluginInstance], in fleet: PluginFleet
    ) async throws {
        let update = try await fleet.prepare(PluginsConfiguration { $0.instances = instances })
        do {
            try await update.begin()
            try bench.registry.replace(Set(fleet.current.map(\.name)), with: update.handlers)
        } catch {
            await update.undo()
            throw error
        }
        await update.commit()
    }

    private static func run(
        config: JSONObject = [:], _ body: (PluginBench, PluginFleet) async throws -> Void
    ) async throws {
        try await PluginBench.run(config: config) { bench in
            try await bench.ready()
            let fleet = PluginFleet(PluginsConfiguration(), context: bench.context)
            fleet.replace(with: [bench.service])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await fleet.runAdded() }
                defer { for service in fleet.current { service.finish() } }
                try await body(bench, fleet)
                for service in fleet.current { service.finish() }
                group.cancelAll()
            }
        }
    }

    private static func config(_ bench: PluginBench) async throws -> (config: JSONObject?, pid: Int?) {
        let answer = try await bench.ask(#"{"type":"CONFIG"}"#, from: "sender-\(Int.random(in: 1...(1 << 30)))")
        return (answer.object("config"), answer.int("pid"))
    }

    @Test func aConfigurationIsTakenInPlace() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            instance.config = ["points": 2]
            try await Self.reload(bench, to: [instance], in: fleet)
            let after = try await Self.config(bench)
            #expect(after.config == ["points": 2])
            #expect(after.pid == before.pid)
        }
    }

    @Test func whatIsUnchangedIsLeftAlone() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            try await Self.reload(bench, to: [bench.service.instance], in: fleet)
            #expect(try await Self.config(bench).pid == before.pid)
        }
    }

    @Test func aPluginThatWantsToBeReplacedIs() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            instance.config = ["mode": "replace"]
            // What the old one has in flight, it ends.
            try await bench.send(#"{"type":"DEFER","requestId":8,"ms":9000}"#, from: "sender-8")
            try await Self.reload(bench, to: [instance], in: fleet)
            let deferred = await bench.answer()
            #expect(deferred.string("type") == "COMPLETED")
            #expect(deferred.int("requestId") == 8)
            let after = try await Self.config(bench)
            #expect(after.config == ["mode": "replace"])
            #expect(after.pid != before.pid)
        }
    }

    @Test func anUpgradeThatDoesNotComeUpLeavesTheOldOne() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            instance.manifest.version = "2"
            instance.config = ["mode": "exit", "status": 3]
            let error = await #expect(throws: PluginNotReady.self) {
                try await Self.reload(bench, to: [instance], in: fleet)
            }
            #expect(error?.description == "the plugin 'actor' does not come up: it exited with status 3")
            #expect(try await Self.config(bench).pid == before.pid)
            #expect(bench.service.instance.manifest.version == "1")
        }
    }

    @Test(arguments: [false, true]) func aRefusedConfigurationSaysWhere(asUpgrade: Bool) async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            if asUpgrade { instance.manifest.version = "2" }
            instance.config = ["mode": "refuse"]
            let refusal = await #expect(throws: PluginConfigurationRefused.self) {
                try await Self.reload(bench, to: [instance], in: fleet)
            }
            #expect(refusal?.problems == [ConfigurationProblem(path: "/mode", message: "must not be refuse")])
            #expect(try await Self.config(bench).pid == before.pid)
        }
    }

    @Test func pluginsComeAndGo() async throws {
        try await Self.run { bench, fleet in
            var second = bench.service.instance
            second.name = "second"
            second.namespaces = [
                GrantedNamespace(PluginClaim(match: PluginBench.namespace.rawValue, phase: .filter))
            ]
            try await Self.reload(bench, to: [bench.service.instance, second], in: fleet)
            #expect(fleet["second"]?.isReady == true)
            #expect(bench.registry.table.entries.map(\.handler.name) == ["actor", "second"])
            let process = await fleet["second"]?.status().processID
            #expect(process != nil)
            let removed = fleet["second"]
            try await Self.reload(bench, to: [bench.service.instance], in: fleet)
            #expect(fleet["second"] == nil)
            #expect(bench.registry.table.entries.map(\.handler.name) == ["actor"])
            _ = await bench.change { if case .stopped = $0 { true } else { false } }
            #expect(removed?.pluginState == .stopped)
            #expect(await bench.change { $0 == .removed } == .removed)
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":1}"#).int("requestId") == 1)
        }
    }

    @Test func aFailedReloadTakesBackWhatWasToldAndStarted() async throws {
        try await Self.run { bench, fleet in
            var first = bench.service.instance
            first.config = ["points": 5]
            var second = bench.service.instance
            second.name = "second"
            second.namespaces = []
            second.config = ["mode": "exit", "status": 3]
            await #expect(throws: PluginNotReady.self) {
                try await Self.reload(bench, to: [first, second], in: fleet)
            }
            let config = try await Self.config(bench).config
            #expect(config == [:])
            #expect(fleet.current.count == 1)
        }
    }

    @Test func aGrantIsWidenedAndNarrowedWithoutARestart() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            instance.namespaces = []
            try await Self.reload(bench, to: [instance], in: fleet)
            try await bench.send("unclaimed")
            #expect(await bench.steps.next() == .forwarded("unclaimed"))
            instance.namespaces = [PluginBench.handle]
            instance.storage = 100
            try await Self.reload(bench, to: [instance], in: fleet)
            let put = #"{"type":"CALL","method":"kv.put","params":{"key":"a","value":1}}"#
            #expect(try await bench.ask(put).int("error") == nil)
            #expect(try await Self.config(bench).pid == before.pid)
        }
    }

    @Test func disablingAndEnablingByTheFile() async throws {
        try await Self.run { bench, fleet in
            var instance = bench.service.instance
            instance.isEnabled = false
            try await Self.reload(bench, to: [instance], in: fleet)
            _ = await bench.change { if case .stopped = $0 { true } else { false } }
            #expect(bench.service.pluginState == .disabled)
            instance.isEnabled = true
            try await Self.reload(bench, to: [instance], in: fleet)
            try await bench.ready()
        }
    }

    @Test func aSingleInstanceIsStoppedFirst() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            instance.manifest.isSingleInstance = true
            instance.manifest.version = "2"
            try await Self.reload(bench, to: [instance], in: fleet)
            _ = await bench.change { if case .ready = $0 { true } else { false } }
            #expect(try await Self.config(bench).pid != before.pid)
        }
    }

    /// What waits for a credit reaches the old process before it is told that nothing comes any more.
    @Test func whatWaitsIsHandledBeforeTheOldOneDrains() async throws {
        try await Self.run(config: ["maxInFlight": 1]) { bench, fleet in
            let numbers = 1...30
            for number in numbers {
                try await bench.send(
                    #"{"type":"SLEEP","seconds":0.02,"requestId":\#(number)}"#, from: "sender-\(number)")
            }
            var instance = bench.service.instance
            instance.manifest.version = "2"
            try await Self.reload(bench, to: [instance], in: fleet)
            var answered: Set<Int> = []
            for _ in numbers {
                let answer = await bench.answer()
                #expect(answer.string("type") == "SLEEP")
                answered.insert(try #require(answer.int("requestId")))
            }
            #expect(answered == Set(numbers))
        }
    }

    /// It is unknown when a plugin will connect, so a reload does not wait for it.
    @Test func aPluginAtASocketIsNotWaitedFor() async throws {
        try await Self.run { bench, fleet in
            var second = bench.service.instance
            second.name = "second"
            second.kind = .socket
            second.namespaces = []
            try await Self.reload(bench, to: [bench.service.instance, second], in: fleet)
            await fleet["second"]?.untilSettled()
            #expect(fleet["second"]?.pluginState == .starting)
        }
    }

    @Test func whatWasSwitchedOffByHandStaysOff() async throws {
        try await Self.run { bench, fleet in
            bench.service.disable()
            _ = await bench.change { if case .stopped = $0 { true } else { false } }
            var instance = bench.service.instance
            instance.config = ["points": 2]
            try await Self.reload(bench, to: [instance], in: fleet)
            await bench.service.untilSettled()
            #expect(bench.service.pluginState == .disabled)
            bench.service.enable()
            try await bench.ready()
            #expect(try await Self.config(bench).config == ["points": 2])
        }
    }

    @Test func whatIsSwitchedOnByTheFileHasToComeUp() async throws {
        try await Self.run { bench, fleet in
            var instance = bench.service.instance
            instance.isEnabled = false
            try await Self.reload(bench, to: [instance], in: fleet)
            _ = await bench.change { if case .stopped = $0 { true } else { false } }
            instance.isEnabled = true
            instance.config = ["mode": "exit", "status": 3]
            await #expect(throws: PluginNotReady.self) {
                try await Self.reload(bench, to: [instance], in: fleet)
            }
            #expect(bench.service.pluginState == .disabled)
            #expect(!bench.service.instance.isEnabled)
        }
    }

    /// One plugin of a reload has said its first words when another one refuses: nothing of the attempt is left.
    @Test func whatWasTriedOutAndIsUndoneEnds() async throws {
        try await Self.run { bench, fleet in
            let before = try await Self.config(bench)
            var instance = bench.service.instance
            instance.config = ["mode": "replace"]
            await (try fleet.prepare(PluginsConfiguration { $0.instances = [instance] })).undo()
            #expect(try await Self.config(bench).pid == before.pid)
        }
    }
}
