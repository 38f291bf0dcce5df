import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import VirtualDevices

@Suite struct VirtualConnectionRulesTests {
    private let bench: DeviceBench
    private let sender: EmbeddedSender

    init() throws {
        self.bench = try DeviceBench()
        self.sender = try self.bench.connect()
    }

    @Test func afterConnectMessagesReachTheTarget() throws {
        let connect = CastMessage.connect("sender-0")
        let request = CastMessage.request("GET_STATUS", id: 1)
        try self.sender.say(connect, request)
        let id = self.sender.connection.id
        #expect(self.bench.target.calls == [.connect(connect, id), .receive(request, id)])
        #expect(try self.sender.heard() == [])
    }

    /// No rule and no handler names it, so nothing could judge it.
    @Test(arguments: [
        "urn:x-cast:com.example\0.quiz", "URN:X-CAST:com.google.cast.media", "urn:x-cast:com.example quiz",
        "urn:x-cast:com.google.cast.Media", "quiz",
    ]) func aMessageInNoNamespaceGoesNowhere(_ namespace: String) throws {
        let connect = CastMessage.connect("sender-0")
        var request = CastMessage.request("GET_STATUS", id: 1)
        try self.sender.say(connect)
        request.namespace = Namespace(rawValue: namespace)
        try self.sender.say(request)
        request.destination = .broadcast
        try self.sender.say(request)
        #expect(self.bench.target.calls == [.connect(connect, self.sender.connection.id)])
        #expect(try self.sender.heard() == [])
    }

    @Test func whoSpeaksWithoutConnectHearsClose() throws {
        try self.sender.say(.request("GET_STATUS", id: 1))
        #expect(try self.sender.heard() == [.close(.platformReceiver, to: "sender-0")])
        #expect(self.bench.target.calls.isEmpty)
    }

    @Test func anotherEndOfTheSameChannelNeedsItsOwn() throws {
        try self.sender.say(.connect("sender-0"), .request("GET_STATUS", id: 1, from: "sender-1"))
        #expect(try self.sender.heard() == [.close(.platformReceiver, to: "sender-1")])
    }

    @Test func anUnknownTransportHearsClose() throws {
        try self.sender.say(.connect("sender-0", to: "web-9"))
        #expect(try self.sender.heard() == [.close("web-9", to: "sender-0")])
        #expect(self.bench.target.calls.isEmpty)
    }

    @Test func anUnknownConnectionTypeHearsClose() throws {
        try self.sender.say(
            .connect("sender-0", ["type": "CONNECT", "connType": 9]), .request("GET_STATUS", id: 1))
        #expect(try self.sender.heard().count == 2)
        #expect(self.bench.target.calls.isEmpty)
    }

    @Test func aConnectThatIsRefusedClosesWhatWasOpen() throws {
        try self.sender.say(.connect("sender-0"), .connect("sender-0", ["type": "CONNECT", "connType": 9]))
        #expect(try self.sender.heard() == [.close(.platformReceiver, to: "sender-0")])
        // The target must not keep a connection that the sender has lost.
        #expect(self.bench.target.calls.last == .disconnect(.close("sender-0"), self.sender.connection.id))
    }

    @Test(
        arguments: [
            (["type": "CONNECT"], nil), (["type": "CONNECT", "protocolVersion": 2], 2),
            (["type": "CONNECT", "protocolVersionList": [0, 1, 2, 3, 4]], 3),
            (["type": "CONNECT", "protocolVersionList": [9]], nil),
        ] as [(JSONObject, Int?)])
    func connectedIsSaidOnlyWhenAskedFor(connect: JSONObject, version: Int?) throws {
        try self.sender.say(.connect("sender-0", connect))
        let heard = try self.sender.heard()
        #expect(heard.count == (version == nil ? 0 : 1))
        #expect(heard.first?.payload.jsonObject?.int("protocolVersion") == version)
    }

    @Test func theTwoHundredFiftySeventhIsRefused() throws {
        for number in 0..<256 { try self.sender.say(.connect(EndpointID(rawValue: "s-\(number)"))) }
        #expect(try self.sender.heard() == [])
        try self.sender.say(.connect("one-too-many"))
        #expect(try self.sender.heard() == [.close(.platformReceiver, to: "one-too-many")])
        #expect(self.bench.target.calls.count == 256)
        // One that is open may be opened again, and one that goes makes room.
        try self.sender.say(.connect("s-0"), .close("s-1"), .connect("next"))
        #expect(try self.sender.heard() == [])
    }

    @Test func aCloseIsPassedOnOnce() throws {
        let close = CastMessage.close("sender-0")
        try self.sender.say(.connect("sender-0"), close, close, .request("GET_STATUS", id: 1))
        #expect(self.bench.target.calls.dropFirst() == [.disconnect(close, self.sender.connection.id)])
        #expect(try self.sender.heard() == [.close(.platformReceiver, to: "sender-0")])
    }

    @Test func connectionsOfEverybodyAreNone() throws {
        try self.sender.say(.connect("*"), .connect("sender-0", to: "*"), .close("sender-0", to: "*"))
        var notJSON = CastMessage.connect("sender-0")
        notJSON.payload = .text("CONNECT")
        try self.sender.say(notJSON)
        #expect(self.bench.target.calls.isEmpty)
        #expect(try self.sender.heard() == [])
    }

    @Test func nobodySpeaksAsEverybody() throws {
        try self.sender.say(.connect("sender-0"), .request("GET_STATUS", id: 1, from: "*"))
        #expect(try self.sender.heard() == [])
        #expect(self.bench.target.received.isEmpty)
    }

    @Test func whatEverybodyIsAskedThePlatformAnswers() throws {
        self.bench.target.echoes = true
        let broadcast = CastMessage.request("X", id: 4, to: "*", in: .broadcast)
        try self.sender.say(.connect("sender-0"), broadcast)
        #expect(try self.sender.heard().map(\.source) == [.platformReceiver])
    }

    @Test func aBroadcastNeedsAnyConnection() throws {
        let broadcast = CastMessage.request("X", id: 0, to: "*", in: .broadcast)
        try self.sender.say(broadcast)
        #expect(self.bench.target.calls.isEmpty)
        try self.sender.say(.connect("sender-0", to: "web-1"), broadcast)
        #expect(self.bench.target.received == [broadcast])
    }

    @Test func otherTransportNamespacesAreIgnored() throws {
        try self.sender.say(
            .connect("sender-0"), .request("X", id: 1, in: "urn:x-cast:com.google.cast.tp.unknown"))
        #expect(self.bench.target.received.isEmpty)
        #expect(try self.sender.heard() == [])
    }

    @Test func orderIsKeptAcrossNamespaces() throws {
        let messages = [
            CastMessage.request("A", id: 1, in: "urn:x-cast:com.example.a"), .request("B", id: 2, in: .media),
            .request("C", id: 3, in: "urn:x-cast:com.example.a"),
        ]
        try self.sender.say(.connect("sender-0"), messages[0], messages[1], messages[2])
        #expect(self.bench.target.received == messages)
    }
}
