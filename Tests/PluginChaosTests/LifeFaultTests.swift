import CastSender
import CastWire
import CastwayTestSupport
import Testing

/// What a plugin does wrong at the other points of its life.
@Suite(.timeLimit(.minutes(2))) struct LifeFaultTests {
    struct Case: CustomTestStringConvertible {
        let kind: ChaosPlugin.Kind
        let point: ChaosPlugin.Point
        let fault: String

        var testDescription: String { "\(self.kind), \(self.fault) at \(self.point)" }

        static func all(_ points: [ChaosPlugin.Point], _ faults: [String]) -> [Case] {
            [ChaosPlugin.Kind.python, .shell].flatMap { kind in
                points.flatMap { point in faults.map { Case(kind: kind, point: point, fault: $0) } }
            }
        }

        var plugin: ChaosPlugin {
            ChaosPlugin(kind: self.kind, point: self.point, fault: self.fault, startTimeout: "2s")
        }
    }

    /// It does not come up the first time; meanwhile its messages fail at once, and it is tried again.
    @Test(arguments: Case.all([.spawn, .initialize, .start, .idle], ["exit", "kill", "stop", "spin"]))
    func whatFailsOnceIsBack(_ test: Case) async throws {
        // What is idle and hangs is found by the look after its health, as with messages.
        guard test.point != .idle || ["exit", "kill"].contains(test.fault) else { return }
        try await ChaosBench.with(test.plugin) { bench in
            try await bench.withSenders(1) { senders async throws in
                #expect(try await senders[0].askBystander(times: 50) < .seconds(2))
                await bench.life.crashed()
                await bench.life.ready()
                #expect(try await senders[0].ask("HELLO").type == "ANSWER")
            }
            #expect(try ProcessCensus.zombies() == 0)
        }
    }

    /// The gateway itself ends while the plugin will not; `ChaosBench` counts what is left.
    @Test(arguments: Case.all([.drain, .shutdown], ["exit", "stop", "stubborn"]))
    func theGatewayTakesItAlong(_ test: Case) async throws {
        try await ChaosBench.with(test.plugin) { bench in
            await bench.life.ready()
            try await bench.withSenders(1) { senders async throws in
                #expect(try await senders[0].ask("HELLO").type == "ANSWER")
            }
        }
    }

    /// It crashes again and again; nothing piles up, and it is never given up.
    @Test func crashesLeaveNothingBehind() async throws {
        try await ChaosBench.with(ChaosPlugin(fault: "exit")) { bench in
            await bench.life.ready()
            try await bench.withSenders(1) { senders async throws in
                var before: [String: Int]?
                for round in 0..<6 {
                    #expect(try await senders[0].ask("FAULT").isFailure)
                    await bench.life.crashed()
                    await bench.life.ready()
                    #expect(try await senders[0].ask("HELLO").type == "ANSWER")
                    // The first round opens what stays open for good.
                    if round == 0 { before = try ProcessCensus.descriptors() }
                }
                #expect(try ProcessCensus.descriptors() == before)
                #expect(try ProcessCensus.zombies() == 0)
            }
        }
    }

    /// A plugin that cannot run at all says why, and disturbs nobody.
    @Test func whatNeverComesUpDisturbsNobody() async throws {
        try await ChaosBench.with(
            ChaosPlugin(name: "good"),
            ChaosPlugin(kind: .shell, name: "bad", point: .spawn, fault: "none")
        ) { bench in
            await bench.life.ready("good")
            try await bench.withSenders(1) { senders async throws in
                #expect(try await senders[0].ask("HELLO", ChaosPlugin(name: "good")).type == "ANSWER")
            }
        }
    }
}
