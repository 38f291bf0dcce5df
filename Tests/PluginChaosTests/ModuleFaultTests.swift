import CastClient
import CastWire
import CastwayTestSupport
import Testing

/// What is wrong with libraries, and with plugins in them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ModuleFaultTests {
    /// A library that cannot be used disables its plugin, with path and reason; the gateway and everybody else go on.
    @Test func whatCannotBeLoadedDisablesItself() async throws {
        let reasons: [ChaosLibrary: String] = [
            .truncated: "cannot be loaded", .text: "cannot be loaded", .missing: "cannot be read",
            .wrongABI: "was made for version 99", .noSymbol: "is no plugin",
            .refuses: "says that it cannot work here", .empty: "does not fill in what it must",
        ]
        #expect(Set(reasons.keys).union([.sound]) == Set(ChaosLibrary.allCases))
        let broken = ChaosLibrary.allCases.filter { $0 != .sound }.map {
            ChaosPlugin(kind: .module, name: $0.rawValue, library: $0)
        }
        let sound = [ChaosPlugin(kind: .module, name: "library"), ChaosPlugin(kind: .python, name: "process")]
        try await ChaosBench.with(broken + sound) { bench in
            try await bench.withSenders(1) { senders async throws in
                try await Bystander.watches(bench) {
                    for plugin in broken {
                        let said = await bench.life.stopped(plugin.name) ?? ""
                        #expect(said.contains("/Plugins/\(plugin.id)/lib/module.so"), "\(plugin.name): \(said)")
                        #expect(said.contains(reasons[plugin.library] ?? "nothing"), "\(plugin.name): \(said)")
                        let answer = try await senders[0].ask("HELLO", plugin)
                        #expect(answer.isFailure && answer.time < .seconds(5), "\(plugin.name) \(answer)")
                    }
                    await bench.ready(sound)
                    for plugin in sound {
                        #expect(try await senders[0].ask("HELLO", plugin).type == "ANSWER", "\(plugin.name)")
                    }
                }
            }
        }
    }

    /// A sound library whose answer is late, missing or none: the message ends at its deadline, no other waits for it.
    @Test func aMissingAnswerCostsOneMessage() async throws {
        let plugins = ["silence", "late", "wrong-id", "invalid-json", "garbage"].map {
            ChaosPlugin(kind: .module, name: $0, fault: $0, deadline: "3s")
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
                        for (plugin, sender) in zip(plugins, others) {
                            let answer = try await sender.ask("HELLO", plugin)
                            #expect(answer.type == "ANSWER" && answer.time < .seconds(2), "\(plugin.name) \(answer)")
                        }
                        for try await (plugin, answer) in group {
                            #expect(answer.isFailure && answer.time >= .seconds(2), "\(plugin.name) \(answer)")
                        }
                    }
                }
                for plugin in plugins {
                    var answer = try await senders[0].ask("HELLO", plugin)
                    while plugin.fault == "late", answer.lateAnswers == 0 {
                        answer = try await senders[0].ask("HELLO", plugin)
                    }
                    answer = try await senders[0].ask("HELLO", plugin)
                    #expect(answer.type == "ANSWER", "\(plugin.name) \(answer)")
                }
            }
        }
    }

    /// It says that it is beyond use, or too much of what is nothing: it is closed, and opened anew.
    @Test func whatGivesUpIsOpenedAnew() async throws {
        let plugins = ["unusable", "flood"].map { ChaosPlugin(kind: .module, name: $0, fault: $0) }
        try await ChaosBench.with(plugins) { bench in
            await bench.ready(plugins)
            try await bench.withSenders(1) { senders async throws in
                for plugin in plugins {
                    let answer = try await senders[0].ask("FAULT", plugin)
                    #expect(answer.isFailure && answer.time < .seconds(5), "\(plugin.name) \(answer)")
                    await bench.isBack(plugin)
                    #expect(try await senders[0].ask("HELLO", plugin).type == "ANSWER", "\(plugin.name)")
                }
            }
        }
    }
}
