import CastWire
import PluginKit
import Testing

/// Operations that callers have a plugin do, and those of the gateway that it has done.
@Suite(.timeLimit(.minutes(1))) struct SessionOperationTests {
    private func bench() async throws -> SessionBench {
        let bench = SessionBench()
        try await bench.begin()
        return bench
    }

    private static func call(_ id: Int, _ operation: String, _ input: JSONObject = [:]) -> GatewayLine {
        .operation(
            .number(id),
            OperationCall(
                id: "c-\(id)", operation: operation, input: input,
                caller: OperationCall.Caller(name: "ci", scopes: ["read"]), deadline: .seconds(10)))
    }

    @Test func anOperationIsAnswered() async throws {
        let bench = try await self.bench()
        bench.say(Self.call(1, "echo", ["a": 1]))
        let answer = try await bench.answer(to: 1)
        #expect(answer.object("result")?.object("result") == ["input": ["a": 1], "caller": "ci"])
    }

    @Test func failuresHaveTheirCodes() async throws {
        let bench = try await self.bench()
        bench.say(Self.call(1, "fail"))
        let error = try await bench.answer(to: 1).object("error")
        #expect(error?.int("code") == -32011)
        #expect(error?.object("data") == ["code": "no_game", "members": ["hint": "start one"]])
        for (id, operation, code) in [(2, "throw", -32603), (3, "none", -32601)] {
            bench.say(Self.call(id, operation))
            #expect(try await bench.answer(to: id).object("error")?.int("code") == code)
        }
    }

    @Test func operationsRunBesideEachOther() async throws {
        let bench = try await self.bench()
        bench.say(Self.call(1, "wait"))
        let progress = try await bench.hear()
        #expect(progress.string("method") == "request.progress")
        #expect(progress.object("params") == ["call": "c-1", "fraction": 0.5, "text": "half of it"])
        bench.say(Self.call(2, "open"))
        var ids: [Int] = []
        for _ in 0..<2 { ids.append(try #require(try await bench.hear().int("id"))) }
        #expect(ids.sorted() == [1, 2])
    }

    @Test func anAbortedOperationIsCancelledAndSaysNothing() async throws {
        let bench = try await self.bench()
        bench.say(Self.call(1, "wait"))
        _ = try await bench.hear()
        bench.say(
            .abort(OperationAbort(call: "c-1", reason: "cancelled")), .abort(OperationAbort(call: "c-9", reason: "")))
        bench.say(Self.call(2, "echo"))
        _ = try await bench.answer(to: 2)
    }

    @Test func operationsOfTheGatewayAreCalled() async throws {
        let bench = try await self.bench()
        bench.say(Self.call(1, "call"))
        let asked = try await bench.hear()
        #expect(asked.string("method") == "gateway.call")
        #expect(
            asked.object("params") == ["operation": "media.seek", "input": ["device": "lobby"], "waitMs": 1000])
        let id = try #require(PluginRequestID(json: asked["id"]))
        bench.say(.response(RPCResponse(id, result: ["status": 200, "result": ["position": 60]])))
        let answer = try await bench.answer(to: 1)
        #expect(answer.object("result")?.object("result") == ["status": 200, "result": ["position": 60]])
    }
}
