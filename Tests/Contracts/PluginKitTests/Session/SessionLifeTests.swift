import CastWire
import Testing

@testable import PluginKit

@Suite(.timeLimit(.minutes(1))) struct SessionLifeTests {
    @Test func theFirstAnswerSaysWhoItIs() async throws {
        let bench = SessionBench()
        bench.say(SessionBench.initialize())
        let result = try #require(try await bench.answer(to: 900).object("result"))
        #expect(result.object("plugin") == ["id": "com.example.scripted", "version": "2"])
        #expect(result.int("protocol") == 1)
        #expect(result.int("maxInFlight") == 7)
        #expect(result["claims"] == nil)
        #expect(result.array("features") == ["defer", "test.clock"])
    }

    @Test func whatTheGatewaySaysOfItComesFirst() async throws {
        let bench = SessionBench()
        bench.say(
            .initialize(
                1,
                InitializeRequest(
                    gateway: GatewayIdentity(id: "g", name: "", version: ""),
                    plugin: PluginIdentity(id: "com.example.other", version: "3"), instance: "x",
                    config: ["greeting": "A"])))
        let result = try #require(try await bench.answer(to: 1).object("result"))
        #expect(result.object("plugin") == ["id": "com.example.other", "version": "3"])
        #expect(result.array("features") == ["defer"])
    }

    @Test func aConfigurationThatMakesNoSenseEndsIt() async throws {
        let bench = SessionBench()
        bench.say(SessionBench.initialize(["greeting": "A", "rounds": "two"]))
        let error = try #require(try await bench.answer(to: 900).object("error"))
        #expect(error.int("code") == -32010)
        #expect(
            error.object("data")?.array("errors") == [["path": "/rounds", "message": "should be a whole number"]])
        #expect(await bench.ending == 78)
    }

    @Test func anotherVersionIsRefusedInWords() async throws {
        let bench = SessionBench()
        bench.say(
            .initialize(
                1,
                InitializeRequest(
                    versions: 2...3, gateway: GatewayIdentity(id: "g", name: "", version: ""), instance: "x")))
        let error = try #require(try await bench.answer(to: 1).object("error"))
        #expect(error.int("code") == -32602)
        #expect(
            error.string("message") == "this plugin speaks version 1 to 1 of the protocol, the gateway 2 to 3")
    }

    @Test func everythingHasItsTime() async throws {
        let bench = SessionBench()
        bench.say(SessionBench.message(1, ["type": "A"]))
        #expect(try await bench.answer(to: 1).object("error")?.int("code") == -32002)
        bench.say(.start(2, PluginSnapshot()))
        #expect(try await bench.answer(to: 2).object("error")?.int("code") == -32600)
        try await bench.begin()
        bench.say(SessionBench.initialize(), .start(3, PluginSnapshot()))
        #expect(try await bench.answer(to: 900).object("error")?.int("code") == -32600)
        #expect(try await bench.answer(to: 3).object("error")?.int("code") == -32600)
        #expect(try await bench.ask(4, ["type": "A"]).string("disposition") == "reply")
    }

    @Test func aStartThatFailsCanBeTriedAgain() async throws {
        let bench = SessionBench()
        bench.say(SessionBench.initialize(["greeting": "no start"]), .start(2, PluginSnapshot()))
        _ = try await bench.answer(to: 900)
        #expect(try await bench.answer(to: 2).object("error")?.int("code") == -32005)
    }

    @Test func reloads() async throws {
        let bench = SessionBench()
        try await bench.begin()
        bench.say(.reload(1, ReloadRequest(config: ["greeting": "HELLO", "rounds": 3])))
        #expect(try await bench.answer(to: 1)["result"] == ["outcome": "applied"])
        bench.say(.reload(2, ReloadRequest(config: ["greeting": "BYE"])))
        #expect(try await bench.answer(to: 2)["result"] == ["outcome": "replace"])
        bench.say(.reload(3, ReloadRequest(config: [:])))
        let error = try await bench.answer(to: 3).object("error")
        #expect(error?.int("code") == -32010)
        #expect(error?.object("data")?.array("errors") == [["path": "/greeting", "message": "is missing"]])
    }

    @Test func feelings() async throws {
        let bench = SessionBench()
        bench.say(.health(1))
        #expect(try await bench.answer(to: 1)["result"] == ["status": "ok"])
        try await bench.begin()
        bench.say(.health(2))
        #expect(try await bench.answer(to: 2)["result"] == ["status": "degraded", "message": "tired"])
    }

    @Test func drainingWaitsForWhatIsUnderWay() async throws {
        let bench = SessionBench()
        try await bench.begin()
        bench.say(
            SessionBench.message(1, ["type": "WAIT", "gate": "a"]), SessionBench.message(2, ["type": "DEFER"]),
            .drain(3, DrainRequest(deadline: .seconds(30))), SessionBench.message(4, ["type": "A"], sender: "late"))
        #expect(try await bench.answer(to: 4).object("error")?.string("message") == "the plugin is draining")
        bench.say(.cancel(CancelNotice(id: 1, messageID: "m-1", reason: "deadline")))
        #expect(try await bench.answer(to: 2).object("result")?.string("disposition") == "defer")
        let next = try await bench.advance(to: 1_003_000)
        // What the drain waited for, what it did then, and its answer: the test's clock stands until all of it is done.
        try #require(next.map { $0.string("method") } == ["message.complete", "log", nil])
        #expect(next[1].object("params")?.string("message") == "drained")
        #expect(next[2].int("id") == 3 && next[2]["result"] == [:])
        bench.say(.shutdown(5))
        #expect(try await bench.answer(to: 5)["result"] == [:])
        #expect(await bench.ending == 0)
    }

    @Test func drainingDoesNotWaitForEver() async throws {
        let bench = SessionBench()
        try await bench.begin()
        bench.say(
            SessionBench.message(1, ["type": "WAIT", "gate": "a"]),
            .drain(3, DrainRequest(deadline: .milliseconds(20))))
        #expect(try await bench.hear().object("params")?.string("message") == "drained")
        #expect(try await bench.answer(to: 3)["result"] == [:])
    }

    @Test func aLimitThatHasPassedAlreadyEndsTheWait() async {
        for _ in 0..<1_000 {
            let activity = SessionActivity()
            _ = activity.postpone("m-1")
            #expect(await activity.quiet(.noMessages, within: .zero) == false)
        }
    }

    @Test func strayAndOverlongLinesCostNothingElse() async throws {
        let bench = SessionBench()
        try await bench.begin()
        bench.write("hello\n\n{\"half\": ")
        #expect(try await bench.hear().object("error")?.int("code") == -32700)
        bench.write("1}\n")
        #expect(try await bench.hear().object("error")?.int("code") == -32700)
        bench.write(#"{"jsonrpc":"2.0","id":5,"method":"dance"}"# + "\n")
        #expect(try await bench.answer(to: 5).object("error")?.int("code") == -32601)
        bench.write(#"{"jsonrpc":"2.0","method":"dance"}"# + "\n")
        bench.write(#"{"jsonrpc":"2.0","id":77,"result":{}}"# + "\n")
        bench.write(#"{"jsonrpc":"2.0","id":6,"method":"message","params":{}}"# + "\n")
        #expect(try await bench.answer(to: 6).object("error")?.int("code") == -32602)
        bench.write(String(repeating: "x", count: 1_048_577) + "\n")
        #expect(try await bench.hear().object("error")?.int("code") == -32004)
        #expect(try await bench.ask(7, ["type": "A"]).payload == ["type": "A"])
    }
}
