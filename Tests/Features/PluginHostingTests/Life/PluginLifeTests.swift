import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import PluginKit
import Testing

@testable import PluginHosting

/// A plugin's process behind a router: what it may do well, and what it may do wrong.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PluginLifeTests {
    private static let pass = #"{"type":"PASS"}"#

    @Test func itAnswersInTheGatewaysName() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            let answer = try await bench.ask(#"{"type":"ECHO","requestId":7,"text":"ä\u0001\"" }"#)
            #expect(answer.string("text") == "ä\u{1}\"")
            #expect(answer.int("requestId") == 7)
            try await bench.send(Self.pass)
            #expect(await bench.steps.next() == .forwarded(Self.pass))
            let status = await bench.service.status()
            #expect(status.counts.answered == 2)
            #expect(status.state == .ready)
            #expect((status.residentBytes ?? 0) > 1_000_000)
        }
    }

    @Test func aReplyWithoutARequestIDGetsTheRequests() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            let answer = try await bench.ask(#"{"type":"TWICE","requestId":9}"#)
            #expect(answer.string("type") == "ONCE")
            #expect(answer.int("requestId") == 9)
        }
    }

    @Test(arguments: [
        (#"{"type":"CRASH","status":5}"#, "it exited with status 5"), (#"{"type":"KILL"}"#, "signal 9 ended it"),
        (#"{"type":"CRASH","status":255}"#, "it exited with status 255"),
    ]) func whatWasInFlightFailsAtOnceAndItComesBack(message: String, reason: String) async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            // Two flows wait behind others; all fail long before their deadline of 20 s.
            try await bench.send(#"{"type":"HANG","requestId":1}"#, from: "sender-2")
            try await bench.send(message, from: "sender-1")
            #expect(await bench.answer().string("reason") == "APP_ERROR")
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            #expect(crash == .crashed(reason: reason, lines: []))
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":3}"#, from: "sender-3").int("requestId") == 3)
            let status = await bench.service.status()
            #expect(status.restartCount == 1)
            #expect(status.counts.lost == 2)
        }
    }

    @Test func aLateAnswerIsIgnoredAndCounted() async throws {
        try await PluginBench.run { instance in
            instance.namespaces[0].deadline = .milliseconds(50)
        } body: { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"HANG","requestId":1}"#).string("reason") == "APP_ERROR")
            #expect(await bench.logged("cancel deadline") != nil)
            #expect(try await bench.ask(#"{"type":"LATE","requestId":2}"#).string("type") == "LATER")
            let counts = await bench.service.status().counts
            #expect(counts.late == 1)
            #expect(counts.abandoned == 1)
        }
    }

    @Test func oddAnswersAreCountedAndHurtNobody() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"TWICE"}"#).string("type") == "ONCE")
            #expect(try await bench.ask(#"{"type":"UNKNOWN"}"#).string("type") == "KNOWN")
            #expect(try await bench.ask(#"{"type":"STRAY"}"#).string("type") == "STRAYED")
            #expect(try await bench.ask(#"{"type":"BIG","size":1100000}"#).string("type") == "BIG_DONE")
            for type in ["ERROR", "NONSENSE", "WRONG_PHASE"] {
                #expect(try await bench.ask("{\"type\":\"\(type)\",\"requestId\":1}").string("reason") == "APP_ERROR")
            }
            let counts = await bench.service.status().counts
            #expect(counts.duplicates == 1)
            #expect(counts.unknownIDs == 2)
            #expect(counts.stray == 3)
            #expect(counts.oversized == 1)
            #expect(counts.errors == 1)
            #expect(counts.invalid == 2)
        }
    }

    @Test(arguments: ["ENDLESS", "FLOOD"]) func aFloodEndsTheProcess(type: String) async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            #expect(try await bench.ask("{\"type\":\"\(type)\",\"requestId\":1}").string("reason") == "APP_ERROR")
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":2}"#).int("requestId") == 2)
        }
    }

    @Test func aStoppedProcessIsNoticedAndReplaced() async throws {
        let timings = PluginTimings(
            healthInterval: .milliseconds(50), healthTimeout: .milliseconds(100), healthMisses: 2)
        try await PluginBench.run(timings: timings) { bench in
            try await bench.ready()
            try await bench.send(#"{"type":"STOP"}"#)
            let degraded = await bench.change { if case .degraded = $0 { true } else { false } }
            #expect(degraded == .degraded(reason: "it does not answer"))
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            #expect(crash == .crashed(reason: "it does not answer any more", lines: []))
            try await bench.ready()
        }
    }

    @Test func aDeferredMessageHasItsOwnDeadline() async throws {
        try await PluginBench.run { instance in
            instance.namespaces[0].deadline = .seconds(2)
        } body: { bench in
            try await bench.ready()
            // The verdict comes after the claim's deadline, and in time for that of the deferral.
            try await bench.send(#"{"type":"DEFER","requestId":4,"ms":9000}"#)
            #expect(await bench.service.status().inFlight == 1)
            try await bench.send(#"{"type":"COMPLETE"}"#, from: "sender-2")
            let answer = await bench.answer()
            #expect(answer.string("type") == "COMPLETED")
            #expect(answer.int("requestId") == 4)
            let late = try await bench.ask(#"{"type":"DEFER","requestId":5,"ms":20}"#)
            #expect(late.string("reason") == "APP_ERROR")
        }
    }

    @Test func theQueueIsBoundedByCredits() async throws {
        try await PluginBench.run(config: ["maxInFlight": 1]) { bench in
            try await bench.ready()
            try await bench.send(#"{"type":"HANG","requestId":1}"#, from: "sender-0")
            for number in 1...(MessagesInFlight.queueLimit + 3) {
                try await bench.send(#"{"type":"ECHO","requestId":\#(number)}"#, from: "sender-\(number + 10)")
            }
            for _ in 0..<3 { #expect(await bench.answer().string("reason") == "APP_ERROR") }
            let status = await bench.service.status()
            #expect(status.inFlight == MessagesInFlight.queueLimit + 1)
            #expect(status.counts.overloaded == 3)
        }
    }

    // MARK: The beginning

    private static let badBeginnings: [(JSONObject, String)] = [
        (["protocol": 2], "it chose version 2 of the plugin protocol, this Castway speaks 1 to 1"),
        (["id": "other"], "it says that it is 'other', not 'test.actor'"),
        (["mode": "exit", "status": 4], "it exited with status 4"),
        (["mode": "silent"], "the plugin did not answer in 0.3 seconds"),
    ]

    @Test(arguments: Self.badBeginnings) func aBadBeginningIsACrash(config: JSONObject, reason: String) async throws {
        try await PluginBench.run(config: config) { instance in
            instance.settings.startTimeout = config.string("mode") == "silent" ? .milliseconds(300) : .seconds(20)
        } body: { bench in
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            #expect(crash == .crashed(reason: reason, lines: []))
            try await bench.send(#"{"type":"ECHO","requestId":1}"#)
            #expect(await bench.answer().string("reason") == "APP_ERROR")
        }
    }

    private static let badConfigurations: [JSONObject] = [["mode": "refuse"], ["mode": "exit", "status": 78]]

    @Test(arguments: Self.badConfigurations)
    func aBadConfigurationIsNotTriedAgain(config: JSONObject) async throws {
        try await PluginBench.run(config: config) { bench in
            let stopped = await bench.change { if case .stopped = $0 { true } else { false } }
            #expect(stopped != nil)
            let status = await bench.service.status()
            #expect(status.state == .stopped)
            #expect(status.restartCount == 0)
        }
    }

    @Test func aProgramThatIsNotThereIsSaid() async throws {
        try await PluginBench.run { instance in
            instance.manifest.command = ["bin/nothing"]
        } body: { bench in
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            let reason = "the program 'bin/nothing' of the plugin is not there, or cannot be executed"
            #expect(crash == .crashed(reason: reason, lines: []))
        }
    }

    @Test func aPrintBeforeTheFirstWordsHurtsNobody() async throws {
        try await PluginBench.run(config: ["mode": "stray"]) { bench in
            try await bench.ready()
            #expect(await bench.service.status().counts.stray == 1)
            #expect(await bench.logged("A line on the wire is no message") != nil)
        }
    }

    @Test func theEnvironmentIsClean() async throws {
        try await PluginBench.run { instance in
            instance.environment = ["OWN": "yes", "CASTWAY_PLUGIN_ID": "forged"]
        } body: { bench in
            try await bench.ready()
            let environment = try await bench.ask(#"{"type":"ENVIRONMENT"}"#)
            let names = Set(environment.members.map(\.name)).subtracting(["type", "LC_CTYPE"])
            #expect(
                names == [
                    "CASTWAY_PLUGIN_COOKIE", "CASTWAY_PLUGIN_ID", "CASTWAY_PLUGIN_NAME", "CASTWAY_PLUGIN_VERSION",
                    "CASTWAY_PROTOCOL",
                    "CASTWAY_STATE_DIR", "HOME", "LANG", "OWN", "PATH", "PYTHONPATH", "SWIFT_BACKTRACE", "TMPDIR",
                ])
            #expect(environment.string("CASTWAY_PLUGIN_ID") == "test.actor")
            #expect(environment.string("CASTWAY_STATE_DIR") == bench.folder.file("state/plugins/actor"))
        }
    }

    @Test func claimsMayNarrowTheGrantAndNotWidenIt() async throws {
        let claims: JSONValue = [
            ["match": .string(PluginBench.namespace.rawValue), "phase": "handle", "types": ["ECHO"]],
            ["match": "urn:x-cast:test.other", "phase": "handle"],
        ]
        try await PluginBench.run(config: ["claims": claims]) { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":1}"#).int("requestId") == 1)
            try await bench.send(#"{"type":"CRASH"}"#)
            #expect(await bench.steps.next() == .forwarded(#"{"type":"CRASH"}"#))
            #expect(bench.registry.table.entries.count == 1)
            #expect(await bench.logged("The plugin claims what is not granted") != nil)
        }
    }

    // MARK: The end

    @Test(arguments: ["", "stay", "crash_in_drain"]) func nothingIsLeft(mode: String) async throws {
        let mark = "mark\(UInt32.random(in: .min ... .max))"
        let before = ProcessTable.openDescriptors
        let timings = PluginTimings(shutdown: .milliseconds(200), terminate: .milliseconds(200))
        try await PluginBench.run(config: ["mode": .string(mode)], timings: timings) { bench in
            try await bench.ready()
            #expect(try await bench.ask("{\"type\":\"DAEMON\",\"mark\":\"\(mark)\"}").string("type") == "DAEMON_UP")
            #expect(!ProcessTable.processes(with: mark).isEmpty)
        }
        #expect(ProcessTable.processes(with: mark).isEmpty)
        #expect(ProcessTable.openDescriptors <= before + 1)
    }

    @Test func manyLivesLeakNothing() async throws {
        let mark = "mark\(UInt32.random(in: .min ... .max))"
        try await PluginBench.run { instance in
            instance.environment = ["MARK": mark]
            instance.settings.restart.healthyAfter = .nanoseconds(1)
        } body: { bench in
            try await bench.ready()
            var before = 0
            for life in 0..<8 {
                if life == 1 { before = ProcessTable.openDescriptors }
                try await bench.send(#"{"type":"KILL"}"#, from: "sender-\(life)")
                try await bench.ready()
            }
            #expect(ProcessTable.openDescriptors <= before + 1)
            #expect(ProcessTable.processes(with: bench.folder.path).count == 2)
        }
    }
}
