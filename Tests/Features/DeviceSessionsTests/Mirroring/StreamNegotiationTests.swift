import CastWire
import CastwayTestSupport
import GatewayCore
import Logging
import MediaRelay
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import DeviceSessions

/// What is read of OFFER and ANSWER, and how an ANSWER is written anew.
@Suite struct StreamNegotiationTests {
    private static func read(_ text: String) -> StreamNegotiation { StreamNegotiation(.text(ByteBuffer(string: text))) }

    @Test(arguments: [
        (#"{"type":"OFFER","seqNum":7,"offer":{"castMode":"mirroring"}}"#, StreamNegotiation.offer(number: 7)),
        (#"{"type":"OFFER","offer":{}}"#, .other), (#"{"type":"OFFER","seqNum":"7"}"#, .other),
        (
            #"{"type":"ANSWER","seqNum":7,"result":"ok","answer":{"udpPort":55991,"ssrcs":[1]}}"#,
            .answer(number: 7, port: 55_991)
        ),
        (#"{"type":"ANSWER","seqNum":7.0,"answer":{"udpPort":1.0}}"#, .answer(number: 7, port: 1)),
        (#"{"type":"answer","seqNum":7,"answer":{"udpPort":65535}}"#, .answer(number: 7, port: 65_535)),
        (#"{"type":"ANSWER","seqNum":7,"result":"error","error":{"code":2}}"#, .other),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"sendIndexes":[0]}}"#, .other),
        (#"{"type":"CAPABILITIES_RESPONSE","seqNum":7,"capabilities":{"udpPort":9}}"#, .other),
        (#"{"type":"RPC","rpc":"CAE="}"#, .other), ("[1,2]", .other), ("nothing", .other),
    ])
    func whatIsClear(text: String, expected: StreamNegotiation) {
        #expect(Self.read(text) == expected)
    }

    @Test(arguments: [
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":0}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":-1}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":70000}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":99999999999999999999999999}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":1e400}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":40000.5}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":"40000"}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":null}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":{}}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":1,"udpPort":2}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":1},"answer":{"udpPort":2}}"#, 7),
        (#"{"type":"ANSWER","seqNum":7,"answer":{},"answer":{"udpPort":2}}"#, 7),
        (#"{"type":"ANSWER","type":"X","seqNum":7,"answer":{"udpPort":1}}"#, 7),
        (#"{"type":"ANSWER","answer":{"udpPort":1}}"#, nil),
        (#"{"type":"ANSWER","seqNum":"7","answer":{"udpPort":1}}"#, nil),
        (#"{"type":"ANSWER","seqNum":7,"seqNum":8,"answer":{"udpPort":1}}"#, nil),
        (#"{"type":"ANSWER","seqNum":7,"answer":{"udpPort":1}} "#.dropLast(2).description, nil),
        (#"/* a */ {"type":"ANSWER","seqNum":7,"answer":{"udpPort":1}}"#, nil),
    ])
    func whatIsUnclear(text: String, number: Int?) throws {
        guard case .unclear(let found, let reason) = Self.read(text) else {
            Issue.record("\(text) is clear: \(Self.read(text))")
            return
        }
        #expect(found == number && !reason.isEmpty && reason.utf8.count < 200)
    }

    @Test func binaryPayloadsAreNoneOfIt() {
        #expect(StreamNegotiation(.binary(ByteBuffer(string: #"{"type":"ANSWER","answer":{"udpPort":1}}"#))) == .other)
    }

    @Test func onlyThePortIsWrittenAnew() throws {
        let text =
            #"{"seqNum":9007199254740993,"x":{"deep":[1.0,1e2,"é"]},"type":"ANSWER","answer":"#
            + #"{"castMode":"mirroring","udpPort":55991,"new":{"a":12345678901234567890},"ssrcs":[5874,78353]},"result":"ok"}"#
        let payload = try #require(StreamNegotiation.rewritten(.text(ByteBuffer(string: text)), port: 40_000))
        #expect(payload == .text(ByteBuffer(string: text.replacing("55991", with: "40000"))))
    }

    @Test func aRefusalIsAnAnswerWithAnError() {
        #expect(
            StreamNegotiation.refusal(number: 7, reason: "no").isEquivalent(to: [
                "type": "ANSWER", "seqNum": 7, "result": "error", "error": ["code": 1, "description": "no"],
            ]))
        let payload = CastMessage.Payload.json(StreamNegotiation.refusal(number: 7, reason: "no"))
        #expect(StreamNegotiation(payload) == .other)
    }

    @Test func offersAreAnsweredOnceAndBounded() {
        func parties(_ app: EndpointID) -> StreamOffers.Parties {
            let sender = SenderEnd(
                relay: ObjectIdentifier(Self.self), connection: ConnectionID(rawValue: 1), end: "sender-0")
            return StreamOffers.Parties(sender: sender, app: app)
        }
        var offers = StreamOffers()
        for number in 0..<20 { offers.offered(number, by: parties("app")) }
        offers.offered(19, by: parties("app"))
        let (old, elsewhere) = (offers.answered(0, by: parties("app")), offers.answered(19, by: parties("other")))
        #expect(!old && !elsewhere)
        let (first, second) = (offers.answered(19, by: parties("app")), offers.answered(19, by: parties("app")))
        #expect(first && !second)
        offers.forget { $0.app == "app" }
        let forgotten = offers.answered(18, by: parties("app"))
        #expect(!forgotten)
    }

    /// A device may send what leads nowhere as often as it likes.
    @Test func refusalsFillNeitherLogNorEvents() {
        let (events, log) = (EventBus(), LogRecorder())
        let published = Mutex(0)
        let subscription = events.subscribe { event in
            guard case .mirroring(_, .refused) = event else { return false }
            published.withLock { $0 += 1 }
            return false
        }
        let streams = MirroringStreams(
            device: "room", pool: MediaRelayPool(), events: events, eventLoop: EmbeddedEventLoop(),
            logger: log.logger())
        let answer = CastMessage(
            source: "mirror-1", destination: .broadcast, namespace: .webRTC,
            json: ["type": "ANSWER", "seqNum": 1, "answer": ["udpPort": 5000]])
        for _ in 0..<1000 { #expect(!streams.isForAll(answer)) }
        #expect(log.entries.count { $0.level == .warning } == 30)
        #expect(published.withLock { $0 } == 30)
        #expect(subscription.droppedCount == 0)
    }
}
