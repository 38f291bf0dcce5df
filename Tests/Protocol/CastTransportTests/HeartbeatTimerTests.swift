import CastTransport
import CastWire
import CastwayTestSupport
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

@Suite struct HeartbeatTimerTests {
    @Test func rule2APingIsAnsweredBelowEveryHandler() throws {
        let plain = try PlainChannel()
        try plain.connect()
        // The owner holds a message and does nothing; the PING behind it is answered all the same.
        try plain.read(.test("held", in: "urn:x-cast:com.example.quiz"), .ping)
        let sent = try plain.sent()
        #expect(sent == [CastMessage.ping.reply(.text(#"{"type":"PONG"}"#))])
        #expect(plain.delegate.received.count == 1)
    }

    @Test func aPingToAnAppIsAnsweredFromThatApp() throws {
        let plain = try PlainChannel()
        try plain.connect()
        var ping = CastMessage.ping
        ping.destination = "app-1"
        ping.payload = .text(#"{"requestId":4, "type" : "PING"}"#)
        try plain.read(ping)
        let sent = try plain.sent()
        #expect(sent.map(\.source) == ["app-1"] && sent.map(\.destination) == ["sender-0"])
    }

    @Test func aPongAndNonsenseAreSwallowed() throws {
        let plain = try PlainChannel()
        try plain.connect()
        var nonsense = CastMessage.ping
        nonsense.payload = .binary(ByteBuffer(bytes: [1, 2]))
        try plain.read(.pong, nonsense)
        #expect(try plain.sent().isEmpty)
        #expect(plain.delegate.essence == [.ready])
    }

    @Test func nothingPrecedesTheAuthenticationReply() throws {
        let plain = try PlainChannel()
        try plain.connect()
        plain.advance(by: .seconds(6))
        try plain.read(.challenge)
        plain.advance(by: .seconds(6))
        #expect(try plain.sent().isEmpty)
        plain.connection.send(CastMessage.challenge.reply(.binary(ByteBuffer(bytes: [18, 0]))))
        plain.connection.flush()
        plain.advance(by: .seconds(5))
        #expect(try plain.sent().map(\.namespace) == [.deviceAuth, .heartbeat])
    }

    @Test func whoBeginsWithoutAuthenticationIsPinged() throws {
        let plain = try PlainChannel()
        try plain.connect()
        try plain.read(.test(#"{"type":"CONNECT"}"#, in: .connection))
        plain.advance(by: .seconds(5))
        let sent = try plain.sent()
        #expect(sent.map(\.source) == ["receiver-0"] && sent.first?.payload.text == #"{"type":"PING"}"#)
    }

    @Test func aDiallerPingsInSilence() throws {
        let plain = try PlainChannel(role: .sender)
        try plain.connect()
        plain.advance(by: .seconds(5))
        #expect(try plain.sent() == [.ping])
    }

    @Test func aSilentPeerIsGivenUp() throws {
        let plain = try PlainChannel()
        try plain.connect()
        try plain.read(.pong)
        plain.advance(by: .seconds(14))
        #expect(plain.delegate.essence == [.ready])
        plain.advance(by: .seconds(1))
        #expect(plain.delegate.essence == [.ready, .closed(.silentPeer)])
    }

    @Test func everyWholeMessageIsLife() throws {
        let plain = try PlainChannel()
        try plain.connect()
        for _ in 0..<6 {
            plain.advance(by: .seconds(10))
            try plain.read(.test("x", in: .media))
        }
        #expect(plain.channel.isActive)
    }

    @Test func drippingBytesAreNoLife() throws {
        let plain = try PlainChannel()
        try plain.connect()
        for byte in try CastMessage.test("long enough for all of this", in: .media).frame().readableBytesView.prefix(20)
        {
            guard plain.channel.isActive else { break }
            try plain.channel.writeInbound(ByteBuffer(bytes: [byte]))
            plain.advance(by: .seconds(1))
        }
        #expect(plain.delegate.essence == [.ready, .closed(.silentPeer)])
    }

    @Test func aFloodOfPingsEndsTheChannel() throws {
        let plain = try PlainChannel()
        try plain.connect()
        let ping = CastMessage.test("{\"type\":\"PING\"}", in: .heartbeat)
        for _ in 0..<100 { try plain.read(ping) }
        #expect(plain.delegate.essence == [.ready])
        // Twenty a second are borne for ever.
        for _ in 0..<100 {
            plain.advance(by: .milliseconds(50))
            try plain.read(ping)
        }
        #expect(plain.delegate.essence == [.ready])
        #expect(try plain.sent().count { $0.payload == HeartbeatPayload.pong.payload } == 200)
        try plain.read(ping)
        plain.channel.embeddedEventLoop.run()
        #expect(plain.delegate.essence == [.ready, .closed(.flood(.heartbeat))])
        #expect(try plain.sent().isEmpty)
    }
}
