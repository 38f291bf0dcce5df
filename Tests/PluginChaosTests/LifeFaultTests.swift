import CastClient
import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayFixtures
import Testing

/// What plugins do wrong at points of their lives other than messages, all of a kind beside each other.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LifeFaultTests {
    private static func plugins(
        _ kind: ChaosPlugin.Kind, _ points: [ChaosPlugin.Point], _ faults: [String], startTimeout: String = "30s"
    ) -> [ChaosPlugin] {
        points.flatMap { point in
            faults.map { fault in
                ChaosPlugin(
                    kind: kind, name: "\(fault)-\(point)", point: point, fault: fault, startTimeout: startTimeout)
            }
        }
    }

    /// It crashes, and does not come up the next time; meanwhile its messages fail at once, and it is tried again.
    @Test(arguments: ChaosPlugin.Kind.processes) func whatFailsOnceIsBack(_ kind: ChaosPlugin.Kind) async throws {
        let stuck =
            Self.plugins(kind, [.spawn, .initialize, .start], ["stop"], startTimeout: "3s")
            + Self.plugins(kind, [.start], ["spin"], startTimeout: "3s")
        // What is idle and hangs is found by the look after its health, as with messages.
        let gone = Self.plugins(kind, [.spawn, .initialize, .start, .idle], ["exit", "kill"])
        let plugins = stuck + gone
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(1) { senders async throws in
                try await Bystander.watches(bench) {
                    for plugin in plugins {
                        let answer = try await senders[0].ask("EXIT", plugin)
                        #expect(answer.isFailure && answer.time < .seconds(2), "\(plugin.name) \(answer)")
                    }
                    // These hang now, or will soon; no message waits for that.
                    for plugin in stuck {
                        let answer = try await senders[0].ask("HELLO", plugin)
                        #expect(answer.isFailure && answer.time < .seconds(1), "\(plugin.name) \(answer)")
                    }
                    for plugin in gone + stuck { await bench.isBack(plugin, crashes: 2) }
                }
                for plugin in plugins {
                    let answer = try await senders[0].ask("HELLO", plugin)
                    #expect(answer.type == "ANSWER", "\(plugin.name) \(answer)")
                    #expect(try ProcessCensus.processes(of: bench.folder.path).contains(#require(answer.process)))
                }
            }
        }
    }

    struct Ending: CustomTestStringConvertible {
        let kind: ChaosPlugin.Kind
        /// Whether a reload ends the plugins, or the end of the gateway.
        let isReload: Bool

        var testDescription: String { "\(self.kind), \(self.isReload ? "by a reload" : "with the gateway")" }

        static let all = ChaosPlugin.Kind.processes.flatMap { kind in
            [true, false].map { Ending(kind: kind, isReload: $0) }
        }
    }

    /// It is to end and does so too soon, or not at all: its messages end by their policy, and `ChaosBench` counts what is left.
    @Test(arguments: Ending.all) func whatIsToEndEnds(_ test: Ending) async throws {
        let plugins = Self.plugins(
            test.kind, test.kind == .swift ? [.drain] : [.drain, .shutdown], ["exit", "stop", "stubborn"])
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(plugins.count + 1) { senders async throws in
                for (plugin, sender) in zip(plugins, senders) {
                    #expect(try await sender.ask("HELLO", plugin).type == "ANSWER", "\(plugin.name)")
                }
                guard test.isReload else { return }
                try await Bystander.watches(bench) {
                    try await withThrowingTaskGroup(of: (String, Answer).self) { group in
                        for (plugin, sender) in zip(plugins, senders) {
                            group.addTask { (plugin.name, try await sender.ask("HOLD", plugin)) }
                        }
                        for plugin in plugins { try await senders[plugins.count].untilHeld(plugin) }
                        let nothing = try ChaosBench.configuration([], in: bench.folder)
                        _ = try await bench.running.gateway.reload(to: nothing).get()
                        for try await (name, answer) in group {
                            // Far from its deadline: what ended it is the end of the plugin.
                            #expect(answer.isFailure && answer.time < .seconds(5), "\(name) \(answer)")
                        }
                    }
                }
            }
        }
    }

    /// It crashes again and again; nothing piles up, and it is never given up.
    @Test func crashesLeaveNothingBehind() async throws {
        let plugin = ChaosPlugin(fault: "exit")
        try await ChaosBench.with([plugin]) { bench in
            await bench.ready([plugin])
            try await bench.withSenders(1) { senders async throws in
                var before: [String: Int]?
                for round in 0..<6 {
                    #expect(try await senders[0].ask("FAULT", plugin).isFailure)
                    await bench.isBack(plugin)
                    #expect(try await senders[0].ask("HELLO", plugin).type == "ANSWER")
                    // The first round opens what stays open for good.
                    if round == 0 { before = try ProcessCensus.descriptors() }
                }
                #expect(try ProcessCensus.descriptors(beyond: #require(before)).isEmpty)
            }
        }
    }
}
