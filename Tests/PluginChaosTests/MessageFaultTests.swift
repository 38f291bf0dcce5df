import CastClient
import CastWire
import CastwayTestSupport
import Logging
import Testing

/// What plugins do wrong while they have messages, all of a kind beside each other.
@Suite(.serialized, .timeLimit(.minutes(2))) struct MessageFaultTests {
    static let crashes: [ChaosPlugin.Kind: [String]] = [
        .python: ["exit", "kill", "hog", "half-line"], .shell: ["exit", "kill", "hog", "half-line"],
        .swift: ["exit", "kill", "hog", "half-line", "trap"], .socket: ["exit", "kill", "hog", "half-line"],
    ]

    /// It ends: what it had ends with it at once, others notice nothing, and it is back.
    @Test(arguments: ChaosPlugin.Kind.processes) func aCrashEndsWhatIsInFlight(_ kind: ChaosPlugin.Kind) async throws {
        let plugins = (Self.crashes[kind] ?? []).flatMap { fault in
            ["closed", "open"].map {
                ChaosPlugin(kind: kind, name: "\(fault)-\($0)", fault: fault, onFailure: $0)
            }
        }
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(2 * plugins.count) { senders async throws in
                var before: [Int?] = []
                for plugin in plugins {
                    let answer = try await senders[0].ask("HELLO", plugin)
                    #expect(answer.type == "ANSWER")
                    before.append(answer.process)
                }
                try await Bystander.watches(bench) {
                    try await withThrowingTaskGroup(of: (ChaosPlugin, Answer).self) { group in
                        for (index, plugin) in plugins.enumerated() {
                            group.addTask { (plugin, try await senders[2 * index].ask("HOLD", plugin)) }
                            group.addTask {
                                try await senders[2 * index + 1].untilHeld(plugin)
                                return (plugin, try await senders[2 * index + 1].ask("FAULT", plugin))
                            }
                        }
                        for try await (plugin, answer) in group {
                            let isRight =
                                plugin.onFailure == "closed"
                                ? answer.isFailure : answer.type != "ANSWER" && !answer.isFailure
                            #expect(isRight, "\(plugin.name) \(answer)")
                            // Before its deadline, which is 10 s: what ended it is the end of the plugin.
                            #expect(answer.time < .seconds(9), "\(plugin.name) \(answer)")
                        }
                    }
                    for plugin in plugins { await bench.isBack(plugin) }
                }
                for (plugin, before) in zip(plugins, before) {
                    let after = try await senders[0].ask("HELLO", plugin)
                    #expect(after.type == "ANSWER" && after.process != before, "\(plugin.name) \(after)")
                    #expect(try ProcessCensus.processes(of: bench.folder.path).contains(#require(after.process)))
                }
            }
        }
    }

    static let hangs: [ChaosPlugin.Kind: [String]] = [
        .python: ["stop", "spin", "silence", "wrong-id", "late", "invalid-json", "invalid-verdict"],
        .shell: ["stop", "spin", "silence", "wrong-id", "invalid-json", "invalid-verdict"],
        .swift: ["stop", "spin", "silence", "wrong-id", "late", "invalid-json", "throw"],
        .socket: ["stop", "spin", "silence", "wrong-id", "late", "invalid-json", "invalid-verdict"],
    ]
    /// What is an answer, and a bad one, fails its message at once.
    static let answers = ["invalid-verdict", "throw"]

    /// It does not answer as it should: the message ends at its deadline, and no other sender waits for it.
    @Test(arguments: ChaosPlugin.Kind.processes) func aMissingAnswerCostsOneMessage(
        _ kind: ChaosPlugin.Kind
    ) async throws {
        let plugins = (Self.hangs[kind] ?? []).map {
            ChaosPlugin(kind: kind, name: $0, fault: $0, deadline: "3s")
        }
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(2 * plugins.count) { senders async throws in
                let (affected, others) = (senders[..<plugins.count], senders[plugins.count...])
                try await Bystander.watches(bench, patience: .seconds(2)) {
                    try await withThrowingTaskGroup(of: (ChaosPlugin, Answer).self) { group in
                        for (plugin, sender) in zip(plugins, affected) {
                            group.addTask { (plugin, try await sender.ask("FAULT", plugin)) }
                        }
                        // Another sender that asks the same plugin does not wait for the other's deadline, when it is not stuck.
                        for (plugin, sender) in zip(plugins, others) where !plugin.isStuck {
                            let answer = try await sender.ask("HELLO", plugin)
                            #expect(answer.type == "ANSWER" && answer.time < .seconds(2), "\(plugin.name) \(answer)")
                        }
                        for try await (plugin, answer) in group {
                            #expect(answer.isFailure, "\(plugin.name) \(answer)")
                            let isAtOnce = answer.time < .seconds(2)
                            #expect(isAtOnce == Self.answers.contains(plugin.fault), "\(plugin.name) \(answer)")
                        }
                    }
                    for plugin in plugins where plugin.isStuck { await bench.isBack(plugin) }
                }
                for plugin in plugins {
                    var answer = try await senders[0].ask("HELLO", plugin)
                    // The late answer reaches no sender while others are given.
                    while plugin.fault == "late", kind != .swift, answer.lateAnswers == 0 {
                        answer = try await senders[0].ask("HELLO", plugin)
                        #expect(answer.type == "ANSWER")
                    }
                    answer = try await senders[0].ask("HELLO", plugin)
                    #expect(answer.type == "ANSWER", "\(plugin.name) \(answer)")
                }
            }
        }
    }

    /// The first answer counts, and the second does no harm.
    @Test func aSecondAnswerIsIgnored() async throws {
        let plugins = ChaosPlugin.Kind.allCases.map { ChaosPlugin(kind: $0, name: $0.rawValue, fault: "twice") }
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(1) { senders async throws in
                for plugin in plugins {
                    for _ in 0..<8 {
                        #expect(try await senders[0].ask("FAULT", plugin).type == "FIRST", "\(plugin.name)")
                        #expect(try await senders[0].ask("HELLO", plugin).type == "ANSWER", "\(plugin.name)")
                    }
                }
            }
        }
    }

    static let floods: [ChaosPlugin.Kind: [String]] = [
        .python: ["flood-stdout", "flood-stderr", "flood-answers", "endless-line"],
        .shell: ["flood-stdout", "flood-stderr", "endless-line"],
        .swift: ["flood-stdout", "flood-stderr", "endless-line"],
        .socket: ["flood-stdout", "flood-answers", "endless-line"],
    ]

    /// What is no breach of the protocol is no reason to end a plugin, however much of it there is.
    static let harmless = ["flood-stderr", "flood-answers"]

    /// Noise is read, counted and thrown away; a plugin that makes too much of it on the wire is replaced.
    @Test(arguments: ChaosPlugin.Kind.processes) func noiseIsBounded(_ kind: ChaosPlugin.Kind) async throws {
        let plugins = (Self.floods[kind] ?? []).map { ChaosPlugin(kind: kind, name: $0, fault: $0) }
        // A plugin that waits until its noise is read does not answer health requests meanwhile.
        try await ChaosBench.with(plugins, looksAfterHealth: false) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(plugins.count) { senders async throws in
                try await Bystander.watches(bench) {
                    try await withThrowingTaskGroup(of: (ChaosPlugin, Answer).self) { group in
                        for (plugin, sender) in zip(plugins, senders) {
                            group.addTask { (plugin, try await sender.ask("FAULT", plugin)) }
                        }
                        for try await (plugin, answer) in group {
                            let isHarmless = Self.harmless.contains(plugin.fault)
                            let isRight = isHarmless ? answer.type == "AFTER" : answer.isFailure
                            #expect(isRight, "\(plugin.name) \(answer)")
                        }
                    }
                    for plugin in plugins where !Self.harmless.contains(plugin.fault) { await bench.isBack(plugin) }
                }
                let lines = bench.log.entries(atLeast: .debug).count
                #expect(lines < 8000, "\(lines) lines of some ten thousand went into the log")
                for plugin in plugins {
                    #expect(try await senders[0].ask("HELLO", plugin).type == "ANSWER", "\(plugin.name)")
                }
            }
        }
    }

    /// It makes as many processes as it can, which would stay: they are as many as it may have, and end with it.
    @Test(.enabled(if: Cage.isPossible, "nothing would keep the processes in bounds here"))
    func aForkBombIsContained() async throws {
        let cage = try #require(Cage.close())
        let plugins = [ChaosPlugin.Kind.python, .shell, .swift].map {
            ChaosPlugin(kind: $0, name: $0.rawValue, fault: "fork")
        }
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(plugins.count) { senders async throws in
                try await Bystander.watches(bench) {
                    try await withThrowingTaskGroup(of: (ChaosPlugin, Answer).self) { group in
                        for (plugin, sender) in zip(plugins, senders) {
                            group.addTask { (plugin, try await sender.ask("FAULT", plugin)) }
                        }
                        for try await (plugin, answer) in group {
                            #expect(answer.isFailure && answer.time < .seconds(5), "\(plugin.name) \(answer)")
                        }
                    }
                    for plugin in plugins { await bench.isBack(plugin) }
                }
                // Three plugins, and two processes that guard each of them: what was forked is gone.
                #expect(try ProcessCensus.processes(of: bench.folder.path).count == 3 * plugins.count)
                for plugin in plugins {
                    #expect(try await senders[0].ask("HELLO", plugin).type == "ANSWER", "\(plugin.name)")
                }
            }
        }
        #expect(cage.open(), "a process is left behind in the cage")
    }
}
