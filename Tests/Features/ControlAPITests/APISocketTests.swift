import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayJournal
import GatewayOperations
import HTTPServing
import NIOCore
import Testing

/// The socket of the API over real connections: who may, calls, events, and what a client does wrong.
@Suite(.timeLimit(.minutes(1))) struct APISocketTests {
    // MARK: Who may

    @Test(arguments: [
        ["Authorization": "Bearer good"], ["Authorization": "bearer  good"],
        ["Sec-WebSocket-Protocol": "castway.v1, castway.token.good"],
    ])
    func aTokenIsShownAtTheUpgrade(headers: [String: String]) async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            try await bench.open(headers) { socket in
                socket.send(text: #"{"id":1,"call":"thing.say","input":{"text":"a"}}"#)
                #expect(await socket.json().object("result")?.string("caller") == "tester")
            }
        }
    }

    @Test(arguments: [
        (["Authorization": "Bearer bad"], 401), (["Authorization": "Basic good"], 401),
        (["Sec-WebSocket-Protocol": "castway.v1, castway.token.bad"], 401),
        (["Sec-WebSocket-Protocol": "castway.token.good"], 400), (["Sec-WebSocket-Protocol": "mqtt"], 400),
        (["Authorization": "Bearer good", "Sec-WebSocket-Protocol": "castway.v1, castway.token.good"], 400),
        (["Origin": "http://evil.example"], 403),
    ])
    func othersAreRefused(headers: [String: String], status: Int) async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            let refusal = await #expect(throws: SocketBench.Refused.self) { try await bench.open(headers) { _ in } }
            let answer = try #require(refusal).answer.lowercased()
            #expect(answer.hasPrefix("http/1.1 \(status)"))
            #expect(answer.contains("application/problem+json"))
            #expect(answer.contains("www-authenticate: bearer realm=") == (status == 401))
        }
    }

    @Test func aTokenInTheQueryIsNone() async throws {
        try await SocketBench.with { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(WebSocketPeer.request("/api/v1/socket?token=good"))
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("token_in_query"))
            }
        }
    }

    @Test func onlyTheProtocolIsChosenNotTheToken() async throws {
        try await SocketBench.with { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                let socket = WebSocketPeer(peer)
                let offer = ["Sec-WebSocket-Protocol": "castway.token.good, castway.v1"]
                let answer = await socket.open(SocketRoutes.path, offer).lowercased()
                #expect(answer.contains("sec-websocket-protocol: castway.v1\r\n") && !answer.contains("good"))
            }
        }
    }

    @Test func aTokenMayComeInTheFirstFrame() async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":"a","auth":{"token":"good"}}"#)
                let answer = await socket.json()
                #expect(answer.string("id") == "a" && answer.object("result")?.string("caller") == "tester")
                socket.send(text: #"{"id":2,"auth":{"token":"good"}}"#)
                #expect(await socket.json().object("problem")?.string("code") == "already_authenticated")
                socket.send(text: #"{"id":3,"call":"thing.say","input":{"text":"a"}}"#)
                #expect(await socket.json().int("status") == 201)
            }
        }
    }

    @Test(arguments: [#"{"auth":{"token":"bad"}}"#, #"{"id":1,"call":"thing.say","input":{"text":"a"}}"#])
    func aStrangerIsHungUp(frame: String) async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            try await bench.open { socket in
                socket.send(text: frame)
                #expect(await socket.json().object("problem")?.string("code") == "unauthorized")
                #expect(await socket.json().int("close") == 4401)
            }
        }
    }

    @Test func aStrangerThatSaysNothingIsHungUp() async throws {
        let limits = APISocketLimits(authTimeout: .milliseconds(50))
        try await SocketBench.with(authority: FakeAuthority(), limits: limits) { bench in
            try await bench.open { socket in #expect(await socket.json().int("close") == 4401) }
        }
    }

    @Test func aRevokedTokenEndsItsSockets() async throws {
        try await SocketBench.with { bench in
            try await bench.open(["Authorization": "Bearer good"]) { socket in
                socket.send(text: #"{"id":1,"subscribe":{}}"#)
                while await socket.json().string("frame") != "synced" {}
                try await bench.open { other in
                    other.send(text: #"{"auth":{"token":"good"}}"#)
                    _ = await other.json()
                    bench.authority.revoke()
                    #expect(await other.json().int("close") == 4401)
                }
                #expect(await socket.json().int("close") == 4401)
                #expect(bench.journal.feedCount == 0)
            }
        }
    }

    // MARK: Calls

    @Test func callsAreAnsweredInAnyOrder() async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":"slow","call":"thing.wait"}"#)
                _ = await bench.gate.begun.next()
                socket.send(text: #"{"id":7,"call":"thing.say","input":{"text":"ä"},"wait":0.5,"idempotency_key":"k"}"#)
                let answer = await socket.json()
                #expect(answer.int("id") == 7 && answer.int("status") == 201)
                #expect(answer.object("result")?.string("said") == "ä")
                bench.gate.open.put(true)
                #expect(await socket.json().string("id") == "slow")
            }
        }
    }

    @Test(arguments: [
        ("es-MX, en;q=0.5", "no hay nada cargado"), ("de", "es ist nichts geladen"), ("nl", "nothing is loaded"),
    ])
    func failuresOfDevicesAreToldInTheLanguageOfTheUpgrade(languages: String, text: String) async throws {
        try await SocketBench.with { bench in
            try await bench.open(["Accept-Language": languages]) { socket in
                socket.send(text: #"{"id":1,"call":"thing.say","input":{"text":"lost"}}"#)
                let problem = await socket.json().object("problem")
                #expect(problem?.string("localized_description") == text)
                #expect(problem?.string("detail") == "'lost' plays nothing" && problem?.int("cast_code") == 32)
            }
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"call":"thing.say","input":{"text":"lost"}}"#)
                let problem = await socket.json().object("problem")
                #expect(problem?.int("cast_code") == 32 && problem?["localized_description"] == nil)
            }
        }
    }

    @Test func callsEndWithTheirSocket() async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                for id in 0..<3 {
                    socket.send(text: #"{"id":\#(id),"call":"thing.wait"}"#)
                    _ = await bench.gate.begun.next()
                }
            }
            for _ in 0..<3 { #expect(await bench.gate.ends.next() == "cancelled") }
        }
    }

    @Test func callsOfACallerAreLimited() async throws {
        try await SocketBench.with(rates: CallerRates(perSecond: 1)) { bench in
            try await bench.open { socket in
                var codes: [String?] = []
                for id in 0..<4 {
                    socket.send(text: #"{"id":\#(id),"call":"thing.say","input":{"text":"a"}}"#)
                    codes.append(await socket.json().object("problem")?.string("code"))
                }
                // The handshake is the first of two.
                #expect(codes.prefix(1) == [nil] && codes.last == "rate_limited", "\(codes)")
            }
        }
    }

    @Test func callsWithoutAnswerAreLimited() async throws {
        try await SocketBench.with(limits: APISocketLimits(outstandingCalls: 2)) { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"call":"thing.wait"}"#)
                socket.send(text: #"{"id":1,"call":"thing.wait"}"#)
                #expect(await socket.json().object("problem")?.string("code") == "id_in_use")
                socket.send(text: #"{"id":2,"call":"thing.wait"}"#)
                socket.send(text: #"{"id":3,"call":"thing.wait"}"#)
                let refusal = await socket.json()
                #expect(refusal.int("id") == 3 && refusal.object("problem")?.string("code") == "too_many_calls")
                #expect(refusal.object("problem")?.int("status") == 429)
                bench.gate.open.put(true)
                bench.gate.open.put(true)
                _ = await socket.json()
                _ = await socket.json()
                socket.send(text: #"{"id":3,"call":"thing.say","input":{"text":""}}"#)
                #expect(await socket.json().int("id") == 3)
            }
        }
    }

    // MARK: What a client does wrong

    @Test(arguments: [
        ("{", "bad_request", "no JSON"), ("[]", "bad_request", "object"), ("{}", "bad_request", "one of"),
        (String(repeating: "[", count: 5000), "bad_request", "nesting"),
        (#"{"id":1,"call":"thing.say","subscribe":{}}"#, "bad_request", "one of"),
        (#"{"id":1,"call":"thing.say","call":"thing.say"}"#, "bad_request", "one of"),
        (#"{"id":1,"call":"thing.say","input":{},"input":{}}"#, "bad_request", "twice"),
        (#"{"id":1,"call":"thing.say","inputs":{}}"#, "bad_request", "no member 'inputs'"),
        (#"{"call":"thing.say"}"#, "bad_request", "has an 'id'"),
        (#"{"id":{},"call":"thing.say"}"#, "bad_request", "whole number"),
        (#"{"id":1.5,"call":"thing.say"}"#, "bad_request", "whole number"),
        (#"{"id":1,"call":5}"#, "bad_request", "name of an operation"),
        (#"{"id":1,"call":"thing.say","wait":11}"#, "bad_request", "0 to 10"),
        (#"{"id":1,"call":"thing.say","idempotency_key":""}"#, "bad_request", "1 to 255"),
        (#"{"id":1,"call":"thing.say","input":5}"#, "bad_request", "object"),
        (#"{"id":1,"call":"nothing"}"#, "unknown_operation", "nothing"),
        (#"{"id":1,"call":"thing.sa"}"#, "unknown_operation", "did you mean 'thing.say'"),
        (#"{"id":1,"call":"thing.say","input":{"txt":"a"}}"#, "invalid_input", "did you mean"),
        (#"{"id":1,"call":"thing.say","input":{"text":"a","text":"b"}}"#, "invalid_input", "twice"),
        (#"{"id":1,"subscribe":[]}"#, "bad_request", "subscribe"),
        (#"{"id":1,"subscribe":{"topics":[]}}"#, "bad_request", "topics"),
        (#"{"id":1,"subscribe":{"topics":[{"typ":"a"}]}}"#, "bad_request", "no member 'typ'"),
        (#"{"id":1,"subscribe":{"topics":[{"type":5}]}}"#, "bad_request", "type"),
        (#"{"id":1,"subscribe":{"from":"nowhere"}}"#, "bad_request", "BOOT.SEQ"),
        (#"{"id":1,"subscribe":{"topics":[{"namespace":"urn:x-cast:a"}]}}"#, "scope_missing", "'messages'"),
        (#"{"id":1,"unsubscribe":{}}"#, "bad_request", "true"),
        (#"{"id":1,"unsubscribe":true}"#, "not_subscribed", "no subscription"),
    ])
    func aBadFrameIsAProblemAndNothingElse(frame: String, code: String, text: String) async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                socket.send(text: frame)
                let problem = await socket.json().object("problem")
                #expect(problem?.string("code") == code)
                #expect(JSONValue.object(problem ?? [:]).text.contains(text), "\(String(describing: problem))")
                socket.send(text: #"{"id":2,"call":"thing.say","input":{"text":"a"}}"#)
                #expect(await socket.json().int("id") == 2)
            }
        }
    }

    @Test func bytesAreAProblem() async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                socket.send(0x82, ByteBuffer(string: "{}"))
                #expect(await socket.json().object("problem")?.string("code") == "bad_request")
                socket.send(text: #"{"id":2,"call":"thing.say","input":{"text":"a"}}"#)
                #expect(await socket.json().int("id") == 2)
            }
        }
    }

    // MARK: Events

    @Test func eventsComeAsTheJournalSaysThem() async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                socket.send(
                    text:
                        #"{"id":1,"subscribe":{"topics":[{"type":"media.*","device":"hall"},{"type":"session.*"}],"from":"b0.17"}}"#
                )
                let answer = await socket.json()
                #expect(answer.int("id") == 1 && answer.object("result")?.bool("subscribed") == true)
                #expect(await socket.json().string("frame") == "hello")
                #expect(await socket.json().string("frame") == "synced")
                let topics = EventTopics([
                    .init(type: DevicePattern("media.*"), device: DevicePattern("hall")),
                    .init(type: DevicePattern("session.*")),
                ])
                #expect(
                    bench.journal.subscriptions == [
                        .init(topics: topics, position: JournalPosition("b0.17"), caller: "loopback")
                    ])
                for number in 1...3 {
                    bench.journal.happen("\(number)")
                    #expect(await socket.json().string("data") == "\(number)")
                }
                socket.send(text: #"{"id":2,"subscribe":{}}"#)
                #expect(await socket.json().object("problem")?.string("code") == "already_subscribed")
                socket.send(text: #"{"id":3,"unsubscribe":true}"#)
                #expect(await socket.json().object("result")?.string("resume") == "b1.3")
                #expect(bench.journal.feedCount == 0)
                socket.send(text: #"{"id":4,"subscribe":{}}"#)
                #expect(await socket.json().int("id") == 4)
            }
        }
    }

    @Test func aReaderThatIsTooSlowIsToldWhereToResume() async throws {
        try await SocketBench.with(journal: FakeJournal(budget: 1 << 20)) { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"subscribe":{}}"#)
                while await socket.json().string("frame") != "synced" {}
                try await socket.peer.goDeaf()
                // More than the peer, the kernel and the budget take; sent without a pause.
                for _ in 0..<200 { bench.journal.happen(String(repeating: "x", count: 100_000)) }
                try await socket.peer.listen()
                var last: UInt64 = 0
                while true {
                    let frame = await socket.json()
                    if let seq = frame.int("seq") {
                        #expect(UInt64(seq) == last + 1)
                        last = UInt64(seq)
                        continue
                    }
                    #expect(frame.string("frame") == "end" && frame.string("reason") == "too_slow")
                    #expect(frame.string("resume") == "b1.\(last)")
                    break
                }
                #expect(last < 200)
                #expect(await socket.json().int("close") == 4408)
            }
        }
    }

    @Test func aJournalThatStopsEndsTheSocket() async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"subscribe":{}}"#)
                while await socket.json().string("frame") != "synced" {}
                bench.journal.stop()
                #expect(await socket.json().string("reason") == "stopping")
                #expect(await socket.json().int("close") == 1001)
            }
        }
    }

    @Test func theListenerSaysThatItStops() async throws {
        try await SocketBench.with { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"call":"thing.wait"}"#)
                _ = await bench.gate.begun.next()
                bench.listener.quiesce(within: .minutes(1))
                #expect(await socket.json().int("close") == 1001)
                #expect(await bench.gate.ends.next() == "cancelled")
            }
        }
    }

    @Test func readersThatComeAndGoLeaveNothing() async throws {
        try await SocketBench.with { bench in
            for round in 0..<200 {
                try await bench.open(["Authorization": "Bearer good"]) { socket in
                    socket.send(text: #"{"id":1,"subscribe":{}}"#)
                    socket.send(text: #"{"id":2,"call":"thing.say","input":{"text":"a"}}"#)
                    if round % 2 == 0 { while await socket.json().int("id") != 2 {} }
                }
            }
            while bench.journal.feedCount + bench.authority.watchCount + bench.admission.count(of: .admin) > 0 {
                try await bench.listener.channel.eventLoop.submit {}.get()
            }
        }
    }
}
