import CastWire
import GatewayCore
import GatewayTesting
import Testing

@Suite struct VirtualConnectionsTests {
    private static let connect = CastMessage.test(#"{"type":"CONNECT"}"#, in: .connection)

    private static func pair(_ local: EndpointID, _ peer: EndpointID) -> VirtualConnection {
        VirtualConnection(local: local, peer: peer)
    }

    @Test func aPairIsAPairInOneOrderOnly() {
        var connections = VirtualConnections()
        let opened = connections.open(Self.pair("receiver-0", "sender-0"), connect: Self.connect)
        #expect(opened)
        #expect(connections.contains(Self.pair("receiver-0", "sender-0")))
        #expect(!connections.contains(Self.pair("sender-0", "receiver-0")))
        #expect(connections.hasPeers(of: "receiver-0") && !connections.hasPeers(of: "sender-0"))
        #expect(connections.hasLocals(of: "sender-0") && !connections.hasLocals(of: "receiver-0"))
        connections.close(Self.pair("sender-0", "receiver-0"))
        #expect(connections.count == 1)
        let reversed = connections.open(Self.pair("sender-0", "receiver-0"), connect: Self.connect)
        #expect(reversed && connections.count == 2)
    }

    @Test func oneChannelHasManyIds() {
        var connections = VirtualConnections()
        for (local, peer) in [
            ("receiver-0", "sender-0"), ("app", "client-2"), ("app", "client-1"), ("app", "sender-0"),
        ] {
            let opened = connections.open(
                Self.pair(EndpointID(rawValue: local), EndpointID(rawValue: peer)), connect: Self.connect)
            #expect(opened)
        }
        #expect(connections.peers(of: "app") == ["client-1", "client-2", "sender-0"])
        let closed = connections.closeAll(local: "app")
        #expect(closed == ["client-1", "client-2", "sender-0"])
        #expect(connections.count == 1 && !connections.hasPeers(of: "app"))
        let again = connections.close(Self.pair("app", "sender-0"))
        #expect(!again)
    }

    @Test func aChannelHoldsSoManyAndNoMore() {
        var connections = VirtualConnections()
        for index in 0..<VirtualConnections.maximumCount {
            let opened = connections.open(
                Self.pair("app", EndpointID(rawValue: "sender-\(index)")), connect: Self.connect)
            #expect(opened)
        }
        let another = connections.open(Self.pair("app", "one-too-many"), connect: Self.connect)
        #expect(!another)
        let newer = CastMessage.test(#"{"type":"CONNECT","origin":{}}"#, in: .connection)
        let again = connections.open(Self.pair("app", "sender-0"), connect: newer)
        #expect(again)
        #expect(connections.all.first { $0.connection.peer == "sender-0" }?.entry.connect == newer)
        connections.close(Self.pair("app", "sender-1"))
        let room = connections.open(Self.pair("app", "one-too-many"), connect: Self.connect)
        #expect(room)
    }

    @Test func theConnectOfAnEndIsThatOfThePairOrOfThePlatform() {
        func connect(_ name: String) -> CastMessage { .test(name, in: .connection) }
        var connections = VirtualConnections()
        for (local, peer) in [("receiver-0", "a"), ("app", "a"), ("web-2", "b"), ("web-1", "b")] {
            _ = connections.open(
                Self.pair(EndpointID(rawValue: local), EndpointID(rawValue: peer)), connect: connect("\(peer) \(local)")
            )
        }
        #expect(connections.connect(of: "a", to: "app")?.payload.text == "a app")
        #expect(connections.connect(of: "a", to: .broadcast)?.payload.text == "a receiver-0")
        #expect(connections.connect(of: "b", to: .broadcast)?.payload.text == "b web-1")
        #expect(connections.connect(of: "c", to: "app") == nil)
    }
}
