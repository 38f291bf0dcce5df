import CastwayTestSupport
import Glibc
import Synchronization
import Testing

@testable import MediaRelay

/// The socket to which rules of the system bring datagrams; here they are sent to it directly.
@Suite(.timeLimit(.minutes(1))) struct MediaGateTests {
    /// Whether this process has the right to make such a socket.
    private static let hasRight =
        MediaEndpoint(host: "127.0.0.1", port: 0).map { (try? MediaSocket.transparent(at: $0)) != nil } ?? false

    private static func descriptor(_ kind: __socket_type, _ family: Int32 = AF_INET) throws -> Int32 {
        let descriptor = socket(family, Int32(kind.rawValue), 0)
        try #require(descriptor >= 0)
        return descriptor
    }

    @Test(.enabled(if: MediaGateTests.hasRight, "it takes CAP_NET_ADMIN or CAP_NET_RAW to make such a socket"))
    func eachDatagramIsJudgedByItsSenderAndItsDestination() throws {
        let pool = MediaRelayPool()
        let local = try #require(MediaEndpoint(host: "127.0.0.1", port: 0))
        let (phone, stranger, device) = (try UDPPeer(), try UDPPeer(), try UDPPeer())
        let sender = try #require(MediaEndpoint(host: "127.0.0.1", port: phone.port))
        let target = try #require(MediaEndpoint(host: "127.0.0.1", port: device.port))
        let relay = try pool.open(north: .bound(to: local), sender: sender, south: .connected(to: target))
        let judged = Mutex<[[MediaEndpoint]]>([])
        let gate = try pool.open(gate: .transparent(at: local)) { source, destination in
            judged.withLock { $0.append([source, destination]) }
            return source == sender ? .pass(relay) : .drop(.foreignAddress)
        }
        let port = Int(gate.address.port)
        try stranger.send([9], to: port)
        try phone.send([1, 2], to: port)
        let there = try #require(device.receive())
        #expect(there.bytes == [1, 2])
        try device.send([3], to: there.port)
        #expect(phone.receive()?.bytes == [3])
        let foreign = try #require(MediaEndpoint(host: "127.0.0.1", port: stranger.port))
        #expect(judged.withLock { $0 } == [[foreign, gate.address], [sender, gate.address]])
        #expect(gate.counts.drops == [.foreignAddress: 1])
        gate.close()
        gate.close()
        relay.close()
        #expect(pool.counts.drops == [.foreignAddress: 1] && pool.counts.packetCount == 2)
    }

    @Test func whatIsHandedOverIsLookedAt() throws {
        for descriptor in [
            try Self.descriptor(SOCK_STREAM), try Self.descriptor(SOCK_DGRAM, AF_INET6),
            try Self.descriptor(SOCK_DGRAM),
        ] {
            #expect {
                try MediaSocket.transparent(adopting: descriptor)
            } throws: { error in
                if case .unfit? = error as? MediaRelayError { true } else { false }
            }
        }
    }

    @Test func twoSocketsOfOneAddressAndPortGetWhatTheirOwnPeersSend() throws {
        let (first, second) = (try UDPPeer("127.0.0.7"), try UDPPeer("127.0.0.8"))
        let local = try #require(MediaEndpoint(host: "127.0.0.5", port: try FreePort.next()))
        let pool = MediaRelayPool()
        var relays: [(relay: MediaRelay, device: UDPPeer)] = []
        for peer in [("127.0.0.7", first), ("127.0.0.8", second)] {
            let device = try UDPPeer()
            let sender = try #require(MediaEndpoint(host: peer.0, port: peer.1.port))
            let target = try #require(MediaEndpoint(host: "127.0.0.1", port: device.port))
            relays.append(
                (
                    try pool.open(
                        north: .bound(exactlyTo: local, connectedTo: sender), sender: sender,
                        south: .connected(to: target)), device
                ))
        }
        try first.send([1], to: Int(local.port), at: "127.0.0.5")
        try second.send([2], to: Int(local.port), at: "127.0.0.5")
        #expect(relays[0].device.receive()?.bytes == [1])
        #expect(relays[1].device.receive()?.bytes == [2])
        for (relay, _) in relays { relay.close() }
    }
}
