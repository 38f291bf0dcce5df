import CastWire
import NIOCore
import PluginKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct SessionMessageTests {
    private func bench() async throws -> SessionBench {
        let bench = SessionBench()
        try await bench.begin()
        return bench
    }

    @Test func messagesAreHandledAndFiltered() async throws {
        let bench = try await self.bench()
        #expect(try await bench.ask(1, ["type": "A", "n": 1.50]).payload == ["type": "A", "n": 1.50])
        #expect(try await bench.ask(2, ["type": "A"], phase: .filter).string("disposition") == "rewrite")
    }

    @Test func whatCameTogetherIsAnsweredTogether() async throws {
        let bench = try await self.bench()
        let before = bench.writes
        let lines = (1...20).map { SessionBench.message($0, ["type": "A"]) }
        var text = ""
        for line in lines {
            var buffer = ByteBuffer()
            line.write(to: &buffer)
            text += String(buffer: buffer)
        }
        bench.write(text)
        for id in 1...20 { _ = try await bench.answer(to: id) }
        #expect(bench.writes == before + 1)
    }

    @Test func aFlowHasOneMessageAtATimeAndOthersGoOn() async throws {
        let bench = try await self.bench()
        bench.say(
            SessionBench.message(1, ["type": "WAIT", "gate": "a"]), SessionBench.message(2, ["type": "B"]),
            SessionBench.message(3, ["type": "C"], sender: "sender-2"))
        #expect(try await bench.answer(to: 3).object("result")?.payload == ["type": "C"])
        bench.say(SessionBench.message(4, ["type": "OPEN", "gate": "a"], sender: "sender-2"))
        var order: [Int] = []
        for _ in 0..<3 { order.append(try #require(try await bench.hear().int("id"))) }
        #expect(order.filter { $0 != 4 } == [1, 2])
        #expect(order.contains(4))
    }

    @Test func manyFlowsKeepTheirOrders() async throws {
        let bench = try await self.bench()
        for id in 0..<3_000 {
            let type: JSONValue = id % 7 == 0 ? "SLEEP" : "A"
            bench.say(SessionBench.message(id, ["type": type], sender: EndpointID(rawValue: "s-\(id % 300)")))
        }
        var heard: [[Int]] = Array(repeating: [], count: 300)
        for line in try await bench.advance(to: 1_000_001, 9_999) {
            let id = try #require(line.int("id"))
            heard[id % 300].append(id)
        }
        for ids in heard { #expect(ids.count == 10 && ids == ids.sorted()) }
    }

    @Test func aHandlerCanAskTheGatewayAndWait() async throws {
        let bench = try await self.bench()
        bench.say(SessionBench.message(1, ["type": "ASK"]), SessionBench.message(2, ["type": "B"], sender: "other"))
        let (first, second) = (try await bench.hear(), try await bench.hear())
        let call = first.string("method") == nil ? second : first
        #expect(call.string("method") == "gateway.send")
        #expect(call.object("params")?.int("wait") == 700)
        #expect(call.object("params")?.string("device") == "lobby")
        let id = try #require(call.int("id"))
        bench.write(#"{"jsonrpc":"2.0","id":\#(id),"result":{"payload":"{\"type\":\"ANSWER\"}"}}"# + "\n")
        #expect(try await bench.answer(to: 1).object("result")?.payload == ["type": "ANSWER"])
    }

    @Test func whatTheGatewayRefusesFailsTheMessage() async throws {
        let bench = try await self.bench()
        bench.say(SessionBench.message(1, ["type": "ASK"]))
        let id = try #require(try await bench.hear().int("id"))
        bench.write(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32001,"message":"not granted"}}"# + "\n")
        #expect(try await bench.answer(to: 1).object("error")?.int("code") == -32001)
    }

    @Test func whatIsThrownIsAnswered() async throws {
        let bench = try await self.bench()
        bench.say(SessionBench.message(1, ["type": "THROW"]))
        #expect(try await bench.answer(to: 1)["error"] == ["code": -32603, "message": "it broke"])
        #expect(
            try await bench.ask(2, ["type": "REJECT"])
                == ["disposition": "reject", "reason": "NOT_ALLOWED", "message": "after ten"])
    }

    @Test func typedMessages() async throws {
        let bench = try await self.bench()
        #expect(
            try await bench.ask(1, ["type": "TYPED", "first": 3.0, "rest": [1, 2.5], "more": [:]]).payload
                == ["first": 3, "rest": [1, 2.5]])
        let verdict = try await bench.ask(2, ["type": "TYPED", "first": 3, "rest": [1, "two"]])
        #expect(verdict.string("reason") == "INVALID_PARAMS")
        #expect(verdict.string("message") == "/rest/1: should be a number")
    }

    @Test func whoeverIsCancelledAnswersNoMore() async throws {
        let bench = try await self.bench()
        bench.say(
            SessionBench.message(1, ["type": "WAIT", "gate": "a"]), SessionBench.message(2, ["type": "B"]),
            SessionBench.message(3, ["type": "C"]), .cancel(CancelNotice(id: 2, messageID: "m-2", reason: "deadline")),
            .cancel(CancelNotice(id: 1, messageID: "m-1", reason: "deadline")))
        #expect(try await bench.answer(to: 3).object("result")?.payload == ["type": "C"])
    }

    @Test func deferredVerdicts() async throws {
        let bench = try await self.bench()
        #expect(try await bench.ask(1, ["type": "DEFER"]) == ["disposition": "defer", "maxMs": 5_000])
        #expect(try await bench.ask(2, ["type": "B"]).payload == ["type": "B"])
        #expect(try await bench.advance(to: 1_002_999).isEmpty)
        let completion = try #require(try await bench.advance(to: 1_003_000).first)
        #expect(completion.string("method") == "message.complete")
        #expect(completion.object("params")?.string("messageId") == "m-1")
        #expect(completion.object("params")?.payload == ["type": "LATER"])
        #expect(try await bench.ask(3, ["type": "DEFER_EARLY"]) == ["disposition": "defer"])
        #expect(try await bench.hear().object("params")?.string("reason") == "early")
    }

    @Test func aDeferredVerdictThatNobodyWaitsForIsNotSaid() async throws {
        let bench = try await self.bench()
        _ = try await bench.ask(1, ["type": "DEFER"])
        bench.say(.cancel(CancelNotice(id: 1, messageID: "m-1", reason: "deadline")))
        #expect(try await bench.advance(to: 1_010_000).isEmpty)
    }

    @Test func copiesComeInOrderAndSayWhatWasLeftOut() async throws {
        let bench = try await self.bench()
        func copy(_ id: Int, _ type: JSONValue = "A", dropped: Int = 0) -> GatewayLine {
            guard case .message(_, let request) = SessionBench.message(id, ["type": type]) else { return .health(0) }
            return .event(PluginEvent(request.message, dropped: dropped))
        }
        bench.say(copy(0, "WAIT"))
        #expect(try await bench.hear().object("params")?.string("message") == "waits")
        for id in 1...1_030 { bench.say(copy(id, dropped: id == 3 ? 5 : 0)) }
        bench.say(SessionBench.message(1, ["type": "OPEN", "gate": "observer"]))
        _ = try await bench.answer(to: 1)
        // The queue is full until the copies have been taken, which is when the clock moves on.
        try await bench.advance(to: 1_000_001)
        bench.say(.event(PluginEvent(type: "session.ended", data: ["session": "s"])))
        try await bench.advance(to: 1_000_002)
        let texts = try #require(try await bench.ask(2, ["type": "SEEN"]).payload?.array("texts"))
        try #require(texts.count == 1_026)
        #expect(texts[0] == "m-0 0")
        // Six were left out, of which one said that five were lost before it.
        #expect(texts[1] == "m-7 11")
        #expect(texts[2] == "m-8 0")
        #expect(texts.last == "session.ended")
    }

    @Test func aTestMovesTheTime() async throws {
        let bench = try await self.bench()
        bench.say(
            SessionBench.message(1, ["type": "SLEEP", "seconds": 10]),
            SessionBench.message(2, ["type": "SLEEP", "seconds": 5], sender: "other"))
        #expect(try await bench.advance(to: 1_004_999).isEmpty)
        let heard = try await bench.advance(to: 1_020_000)
        #expect(heard.map { $0.int("id") } == [2, 1])
        #expect(heard.map { $0.object("result")?.payload?.int("now") } == [1_005_000, 1_010_000])
    }

    @Test func withoutATestTheClockIsTheMachines() async throws {
        let bench = SessionBench()
        try await bench.begin(testTime: nil)
        bench.say(.advanceClock(999, to: 5))
        #expect(try await bench.answer(to: 999).object("error")?.int("code") == -32601)
        let now = try #require(try await bench.ask(1, ["type": "SLEEP", "seconds": 0]).payload?.int("now"))
        #expect(now > 1_700_000_000_000)
    }

    @Test func valuesAreKept() async throws {
        let bench = try await self.bench()
        bench.say(SessionBench.message(1, ["type": "STORE"]))
        let put = try await bench.hear()
        #expect(put.string("method") == "kv.put")
        #expect(put["params"] == ["key": "numbers", "value": ["first": 1, "rest": [2.5]]])
        bench.write(#"{"jsonrpc":"2.0","id":\#(put.int("id") ?? 0),"result":{}}"# + "\n")
        let get = try await bench.hear()
        #expect(get.string("method") == "kv.get")
        bench.write(
            #"{"jsonrpc":"2.0","id":\#(get.int("id") ?? 0),"result":{"value":{"first":1,"rest":[2.5]}}}"# + "\n")
        let list = try await bench.hear()
        #expect(list["params"] == ["prefix": "n"])
        bench.write(#"{"jsonrpc":"2.0","id":\#(list.int("id") ?? 0),"result":{"keys":["numbers"]}}"# + "\n")
        #expect(
            try await bench.answer(to: 1).object("result")?.payload == ["type": "STORED", "same": true, "keys": 1])
    }
}
