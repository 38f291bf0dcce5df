import CastSender
import CastWire
import CastwayTestSupport
import Logging
import Testing

/// What a plugin does wrong while it has messages.
@Suite(.timeLimit(.minutes(2))) struct MessageFaultTests {
    /// A plugin of some kind that does something wrong for a message.
    struct Case: CustomTestStringConvertible {
        let kind: ChaosPlugin.Kind
        let fault: String

        var testDescription: String { "\(self.kind), \(self.fault)" }

        static func all(_ faults: [ChaosPlugin.Kind: [String]]) -> [Case] {
            ChaosPlugin.Kind.allCases.flatMap { kind in (faults[kind] ?? []).map { Case(kind: kind, fault: $0) } }
        }
    }

    /// How long others may wait at most while a plugin does wrong; nothing is that slow that does not wait for it.
    private static let deadline = Duration.seconds(5)

    static let crashes = Case.all([
        .python: ["exit", "kill", "hog", "half-line", "fork"],
        .shell: ["exit", "kill", "hog", "half-line", "fork"],
    ])

    /// It ends: what it had ends with it at once, others notice nothing, and it is back.
    @Test(arguments: Self.crashes, ["closed", "open"])
    func aCrashEndsWhatIsInFlight(_ test: Case, onFailure: String) async throws {
        let plugin = ChaosPlugin(kind: test.kind, fault: test.fault, onFailure: onFailure, deadline: "10s")
        try await ChaosBench.with(plugin) { bench in
            await bench.life.ready()
            try await bench.withSenders(4) { senders async throws in
                let before = try await senders[0].ask("HELLO")
                #expect(before.type == "ANSWER")
                try await withThrowingTaskGroup(of: Answer.self) { group in
                    for sender in senders[0..<2] { group.addTask { try await sender.ask("HOLD") } }
                    group.addTask { try await senders[2].ask("FAULT") }
                    let slowest = try await senders[3].askBystander(times: 50)
                    #expect(slowest < Self.deadline)
                    for try await answer in group {
                        #expect(onFailure == "closed" ? answer.isFailure : answer.type != "ANSWER" && !answer.isFailure)
                    }
                }
                await bench.life.crashed()
                await bench.life.ready()
                let after = try await senders[0].ask("HELLO")
                #expect(after.type == "ANSWER")
                #expect(after.process != before.process)
                #expect(try ProcessCensus.processes(of: bench.folder.path).contains(#require(after.process)))
                #expect(try ProcessCensus.zombies() == 0)
            }
        }
    }

    static let hangs = Case.all([
        .python: ["stop", "spin", "silence", "invalid-json", "wrong-id"],
        .shell: ["stop", "spin", "invalid-json", "wrong-id"],
    ])

    /// It does not answer: the message ends at its deadline, and nobody else waits for it.
    @Test(arguments: Self.hangs) func aMissingAnswerCostsOneMessage(_ test: Case) async throws {
        let plugin = ChaosPlugin(kind: test.kind, fault: test.fault, deadline: "2s")
        try await ChaosBench.with(plugin) { bench in
            await bench.life.ready()
            try await bench.withSenders(2) { senders async throws in
                let isOver = Flag()
                try await withThrowingTaskGroup(of: Answer.self) { group in
                    group.addTask {
                        defer { isOver.set() }
                        return try await senders[0].ask("FAULT")
                    }
                    // All of it happens before the deadline, or somebody waits who should not.
                    let slowest = try await senders[1].askBystander(times: 50)
                    #expect(!isOver.isSet)
                    #expect(slowest < .seconds(2))
                    let answer = try await group.next()
                    #expect(answer?.isFailure == true)
                }
                // Whoever is stuck is replaced; the others were well all the time.
                if ["stop", "spin"].contains(test.fault) {
                    await bench.life.crashed()
                    await bench.life.ready()
                }
                #expect(try await senders[0].ask("HELLO").type == "ANSWER")
            }
        }
    }

    /// Answers that are too many, too late or none are no use to anybody, and do no harm.
    @Test(arguments: ChaosPlugin.Kind.allCases.filter { $0 == .python || $0 == .shell })
    func aSecondAnswerIsIgnored(_ kind: ChaosPlugin.Kind) async throws {
        try await ChaosBench.with(ChaosPlugin(kind: kind, fault: "twice")) { bench in
            await bench.life.ready()
            try await bench.withSenders(1) { senders async throws in
                for _ in 0..<8 {
                    #expect(try await senders[0].ask("FAULT").type == "FIRST")
                    #expect(try await senders[0].ask("HELLO").type == "ANSWER")
                }
            }
        }
    }

    @Test func aLateAnswerIsIgnored() async throws {
        try await ChaosBench.with(ChaosPlugin(fault: "late", deadline: "300ms")) { bench in
            await bench.life.ready()
            try await bench.withSenders(2) { senders async throws in
                // The answers of the first come while the second asks.
                for _ in 0..<3 {
                    #expect(try await senders[0].ask("FAULT").isFailure)
                    #expect(try await senders[1].askBystander(times: 20) < .milliseconds(300))
                    #expect(try await senders[1].ask("HELLO").type == "ANSWER")
                }
            }
        }
    }

    @Test func anImpossibleVerdictFailsAtOnce() async throws {
        try await ChaosBench.with(ChaosPlugin(fault: "invalid-verdict", deadline: "10s")) { bench in
            await bench.life.ready()
            try await bench.withSenders(1) { senders async throws in
                #expect(try await senders[0].ask("FAULT").isFailure)
                #expect(try await senders[0].ask("HELLO").type == "ANSWER")
            }
        }
    }

    static let floods = Case.all([
        .python: ["flood-stdout", "flood-stderr", "endless-line"], .shell: ["flood-stdout", "flood-stderr"],
    ])

    /// Noise is read, counted and thrown away; whoever makes too much of it on the wire is replaced.
    @Test(arguments: Self.floods) func noiseIsBounded(_ test: Case) async throws {
        let plugin = ChaosPlugin(kind: test.kind, fault: test.fault, deadline: "10s")
        try await ChaosBench.with(plugin) { bench in
            await bench.life.ready()
            try await bench.withSenders(2) { senders async throws in
                try await withThrowingTaskGroup(of: Answer.self) { group in
                    group.addTask { try await senders[0].ask("FAULT") }
                    #expect(try await senders[1].askBystander(times: 200) < Self.deadline)
                    let answer = try await group.next()
                    #expect(answer?.isFailure == true || answer?.type == "AFTER")
                }
                if test.fault == "flood-stderr" {
                    let lines = bench.log.entries(atLeast: .debug).count
                    #expect(lines < 2000, "\(lines) lines of 100,000 went into the log")
                } else {
                    await bench.life.crashed()
                    await bench.life.ready()
                }
                #expect(try await senders[0].ask("HELLO").type == "ANSWER")
            }
        }
    }
}
