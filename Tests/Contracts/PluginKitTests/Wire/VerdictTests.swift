import CastWire
import NIOCore
import PluginKit
import Testing

@Suite struct VerdictTests {
    private func read(_ result: String) throws -> Verdict {
        let line = ByteBuffer(string: #"{"jsonrpc":"2.0","id":3,"result":\#(result)}"#)
        guard case .response(let response) = try PluginLine(reading: line) else {
            Issue.record("no response")
            return Verdict(.pass)
        }
        return try response.verdict()
    }

    @Test func everyVerdictSurvivesTheWire() throws {
        let payload = CastMessage.Payload.text(#"{"type":"A","text":"ä \"quoted\" \\ 😀"}"#)
        let effects: [Effect] = [
            .replyToSender(namespace: nil, payload: payload),
            .broadcast(namespace: "urn:x-cast:a", payload: .binary(ByteBuffer(bytes: [0, 255, 7, 9]))),
            .sendToReceiver(namespace: nil, payload: .text("")), .emit(event: "a.b", data: ["n": 1.5], key: nil),
            .emit(event: "a.b", data: .null, key: "k"), .put(key: "k", value: [1, nil]), .delete(key: "k"),
            .log(.notice, "n"),
        ]
        let dispositions: [Disposition] = [
            .pass, .rewrite(payload), .forward(nil), .forward(payload), .reply(payload),
            .reply(.binary(ByteBuffer(bytes: [1]))), .handled, .reject(Rejection("NOT_ALLOWED")),
            .reject(Rejection("NOT_ALLOWED", "after ten")), .drop("quiet"), .deferred(nil),
            .deferred(.seconds(5)),
        ]
        for disposition in dispositions {
            for effects in [[], effects] {
                let verdict = Verdict(disposition, effects: effects)
                var line = ByteBuffer()
                verdict.write(id: 3, to: &line)
                guard case .response(let response) = try PluginLine(reading: line) else {
                    Issue.record("no response")
                    continue
                }
                #expect(try response.verdict() == verdict)
            }
        }
    }

    @Test func handingOverIsNoWordOfTheWire() throws {
        var line = ByteBuffer()
        Verdict(.handOver("media")).write(id: 3, to: &line)
        guard case .response(let response) = try PluginLine(reading: line) else { throw CancellationError() }
        #expect(
            try response.verdict().disposition
                == .reject(Rejection("APP_ERROR", "a plugin cannot hand a message over")))
        #expect(throws: (any Error).self) { try self.read(#"{"disposition":"hand_over","payload":"media"}"#) }
    }

    @Test func withoutAWordItPasses() throws {
        #expect(try self.read("{}") == Verdict(.pass))
    }

    @Test func anObjectAsPayloadStaysAsItIsWritten() throws {
        let verdict = try self.read(#"{"disposition":"reply","payload":{"type":"A", "n":1.50}}"#)
        #expect(verdict.disposition == .reply(.text(#"{"type":"A", "n":1.50}"#)))
    }

    @Test(arguments: [
        (
            #"{"disposition":"maybe"}"#,
            "result.disposition: 'maybe' is none of pass, rewrite, forward, reply, handled, reject, drop, defer"
        ),
        (#"{"disposition":"reply"}"#, "result.payload: is missing; reply needs it"),
        (#"{"disposition":"rewrite","payload":null}"#, "result.payload: is missing; rewrite needs it"),
        (#"{"disposition":"reply","payload":7}"#, "result.payload: should be a string, an object or a list"),
        (#"{"disposition":"reply","payloadB64":"%%%%"}"#, "result.payloadB64: should be base 64"),
        (#"{"disposition":"reject"}"#, "result.reason: is missing; reject needs it"),
        (#"{"disposition":"drop","reason":1}"#, "result.reason: should be a string"),
        (#"{"disposition":"defer","maxMs":-1}"#, "result.maxMs: should be milliseconds, from 0 to 2592000000"),
        (#"{"effects":{}}"#, "result.effects: should be a list"),
        (
            #"{"effects":[{"do":"dance"}]}"#,
            "result.effects[0].do: 'dance' is none of reply_to_sender, broadcast, send_to_receiver, emit, kv.put, kv.delete, log"
        ),
        (#"{"effects":[{"do":"kv.put"}]}"#, "result.effects[0].key: a string is missing"),
    ])
    func whatIsWrongIsSaid(_ result: String, _ reason: String) throws {
        let fault = try #require(throws: PluginLineFault.self) { try self.read(result) }
        #expect(fault.kind == .invalidResult)
        #expect(fault.id == 3)
        #expect(fault.reason == reason)
    }

    @Test func anErrorIsNoVerdict() throws {
        let line = ByteBuffer(string: #"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"boom"}}"#)
        guard case .response(let response) = try PluginLine(reading: line) else { return }
        #expect(response.outcome == .failure(PluginRPCError(.internalError, "boom")))
        #expect(throws: PluginLineFault.self) { try response.verdict() }
    }

    @Test(arguments: [
        (#"{"type":"A"}"#, #"{"requestId":17,"type":"A"}"#), ("{}", #"{"requestId":17}"#),
        (" { }", #" {"requestId":17 }"#),
        (#"{"requestId":5}"#, #"{"requestId":5}"#), (#"{"request_id":5}"#, #"{"request_id":5}"#), ("[1]", "[1]"),
        ("text", "text"), (#"{"type":"#, #"{"type":"#),
    ])
    func anAnswerGetsTheIDOfItsRequest(_ before: String, _ after: String) {
        #expect(CastMessage.Payload.text(before).answering(17) == .text(after))
    }
}
