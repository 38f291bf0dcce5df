import CastwayTestSupport
import Glibc
import Testing

@testable import MediaRelay

/// A relay between two sockets of the test, on loopback.
@Suite(.timeLimit(.minutes(1))) struct MediaRelayTests {
    /// A relay, and what stands on both sides of it.
    private struct Bench {
        let pool: MediaRelayPool
        let relay: MediaRelay
        let sender: UDPPeer
        let device: UDPPeer
        var port: Int { Int(self.relay.address.port) }

        init(
            host: String = "127.0.0.1", pool: MediaRelayPool = MediaRelayPool(), ports: ClosedRange<Int>? = nil,
            idleTime: Duration = .seconds(60), onIdle: @escaping @Sendable () -> Void = {}
        ) throws {
            self.pool = pool
            self.sender = try UDPPeer(host)
            self.device = try UDPPeer(host)
            let local = try #require(MediaEndpoint(host: host, port: 0))
            let peer = try #require(MediaEndpoint(host: host, port: self.device.port))
            self.relay = try pool.open(
                north: .bound(to: local, ports: ports), sender: local, south: .connected(to: peer),
                idleTime: idleTime, onIdle: onIdle)
        }
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func datagramsPassBothWays(host: String) throws {
        let bench = try Bench(host: host)
        defer { bench.relay.close() }
        #expect(bench.relay.address.host == host && bench.relay.sender == nil)
        for number in UInt8(1)...200 {
            try bench.sender.send([number, 1, 2, 3], to: bench.port, at: host)
            let there = try #require(bench.device.receive())
            #expect(there.bytes == [number, 1, 2, 3])
            try bench.device.send([number], to: there.port, at: host)
            let back = try #require(bench.sender.receive())
            // The sender drops what comes from any other port than the one that it sends to.
            #expect(back.bytes == [number] && back.port == bench.port)
        }
        #expect(Int(bench.relay.sender?.port ?? 0) == bench.sender.port)
        let counts = bench.relay.close()
        #expect(counts.packets == [.toDevice: 200, .toSender: 200])
        #expect(counts.bytes == [.toDevice: 800, .toSender: 200] && counts.drops.isEmpty)
        #expect(bench.pool.count == 0 && bench.pool.endedCount == 1 && bench.pool.counts == counts)
    }

    @Test func datagramsOfOthersAreDroppedAndChangeNothing() throws {
        let bench = try Bench()
        let (stranger, neighbour) = (try UDPPeer("127.0.0.2"), try UDPPeer())
        // Before the sender's port is known, and after.
        try stranger.send([9], to: bench.port)
        try bench.sender.send([1], to: bench.port)
        #expect(bench.device.receive()?.bytes == [1])
        for _ in 0..<100 {
            try stranger.send([9], to: bench.port)
            try neighbour.send([8], to: bench.port)
        }
        try bench.sender.send([2], to: bench.port)
        let there = try #require(bench.device.receive())
        #expect(there.bytes == [2])
        try bench.device.send([3], to: there.port)
        #expect(bench.sender.receive()?.bytes == [3])
        let counts = bench.relay.close()
        #expect(counts.packets == [.toDevice: 2, .toSender: 1])
        #expect(counts.drops == [.foreignAddress: 101, .foreignPort: 100])
    }

    @Test func onlyTheDeviceIsHeardOnItsSide() throws {
        let bench = try Bench()
        try bench.sender.send([1], to: bench.port)
        let there = try #require(bench.device.receive())
        let stranger = try UDPPeer()
        try stranger.send([9], to: there.port)
        try bench.device.send([2], to: there.port)
        #expect(bench.sender.receive()?.bytes == [2])
        let counts = bench.relay.close()
        #expect(counts.packets == [.toDevice: 1, .toSender: 1])
    }

    @Test func emptyAndLongDatagramsAreDropped() throws {
        let bench = try Bench()
        try bench.sender.send([], to: bench.port)
        try bench.sender.send(Array(repeating: 7, count: 2049), to: bench.port)
        try bench.sender.send(Array(repeating: 7, count: 60_000), to: bench.port)
        try bench.sender.send(Array(repeating: 7, count: 2048), to: bench.port)
        let there = try #require(bench.device.receive())
        #expect(there.bytes.count == 2048)
        try bench.device.send([], to: there.port)
        try bench.device.send(Array(repeating: 7, count: 2049), to: there.port)
        try bench.device.send([1], to: there.port)
        #expect(bench.sender.receive()?.bytes == [1])
        let counts = bench.relay.close()
        #expect(counts.drops == [.empty: 2, .tooLarge: 3])
        #expect(counts.packets == [.toDevice: 1, .toSender: 1])
    }

    /// A device that has closed its port answers each datagram with an ICMP message, which a connected socket hears.
    @Test func aPortThatIsClosedForAWhileEndsNothing() throws {
        let bench = try Bench()
        let port = bench.device.port
        shutdown(bench.device.descriptor, Int32(SHUT_RDWR))
        // Nothing listens there from now on: another socket takes the descriptor's place.
        let nothing = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        dup2(nothing, bench.device.descriptor)
        close(nothing)
        for number in UInt8(0)..<50 { try bench.sender.send([number], to: bench.port) }
        // All of them have been judged once a datagram behind them is counted; the last may still be on their way.
        try UDPPeer("127.0.0.2").send([1], to: bench.port)
        while bench.relay.counts.drops[.foreignAddress] != 1 { sched_yield() }
        let device = try UDPPeer(port: port)
        try bench.sender.send([77], to: bench.port)
        var there = try #require(device.receive())
        while there.bytes != [77] { there = try #require(device.receive()) }
        try device.send([78], to: there.port)
        #expect(bench.sender.receive()?.bytes == [78])
        let counts = bench.relay.close()
        // Each was tried twice, and none was lost on the way to the network.
        #expect(counts.packetCount + (counts.drops[.unreachable] ?? 0) == 52)
    }

    @Test func aBurstPassesWhole() throws {
        let bench = try Bench()
        let datagram = [UInt8](repeating: 5, count: 1200)
        // As many as a small receive buffer of the kernel's holds.
        for _ in 0..<60 { try bench.sender.send(datagram, to: bench.port) }
        for _ in 0..<60 { #expect(bench.device.receive()?.bytes.count == 1200) }
        let counts = bench.relay.close()
        #expect(counts.packets[.toDevice] == 60 && counts.bytes[.toDevice] == 72_000 && counts.dropCount == 0)
    }

    @Test func whatIsClosedIsSilentAndItsPortsAreFree() throws {
        let pool = MediaRelayPool()
        let port: Int
        do {
            let bench = try Bench(pool: pool)
            port = bench.port
            try bench.sender.send([1], to: port)
            #expect(bench.device.receive() != nil)
            bench.relay.close()
            let again = bench.relay.close()
            #expect(again.packetCount == 1 && pool.endedCount == 1)
            // The owner still has the relay: it takes nothing any more.
            try bench.sender.send([2], to: port)
            #expect(bench.relay.counts.packetCount == 1)
        }
        #expect(pool.count == 0)
        // The socket of the relay went with its owner, unless its thread holds it for the blink of an eye.
        var socket: UDPPeer?
        while socket == nil { socket = try? UDPPeer(port: port) }
        // Another one is carried after the first.
        let bench = try Bench(pool: pool)
        try bench.sender.send([3], to: bench.port)
        #expect(bench.device.receive()?.bytes == [3])
        bench.relay.close()
        #expect(pool.endedCount == 2 && pool.counts.packetCount == 2)
    }

    @Test func aSilentRelayEnds() async throws {
        let pool = MediaRelayPool(checkInterval: .milliseconds(5))
        let (ends, input) = AsyncStream.makeStream(of: Void.self)
        let bench = try Bench(pool: pool, idleTime: .milliseconds(20)) { input.yield() }
        var iterator = ends.makeAsyncIterator()
        let ended: Void? = await iterator.next()
        #expect(ended != nil && pool.count == 0 && pool.endedCount == 1)
        #expect(bench.relay.close().packetCount == 0 && pool.endedCount == 1)
    }

    @Test func noMoreStreamsThanMayBe() throws {
        let pool = MediaRelayPool(maximum: 2)
        let benches = [try Bench(pool: pool), try Bench(pool: pool)]
        #expect(throws: MediaRelayError.tooMany(maximum: 2)) { try Bench(pool: pool) }
        benches[0].relay.close()
        let third = try Bench(pool: pool)
        #expect(pool.count == 2)
        third.relay.close()
        benches[1].relay.close()
    }

    @Test func portsAreOfTheRange() throws {
        let loopback = try #require(MediaEndpoint(host: "127.0.0.1", port: 0))
        // A range of one port, which the system names.
        let taken = try MediaSocket.bound(to: loopback)
        let port = Int(taken.local.port)
        #expect(throws: MediaRelayError.noPort(port...port)) { try MediaSocket.bound(to: loopback, ports: port...port) }
        let other = try MediaSocket.bound(to: loopback, ports: 20_000...29_999)
        #expect((20_000...29_999).contains(Int(other.local.port)))
    }

    @Test func anAddressOfAnotherHostCannotBeBound() throws {
        let foreign = try #require(MediaEndpoint(host: "192.0.2.1", port: 0))
        let failure = #expect(throws: MediaRelayError.self) { try MediaSocket.bound(to: foreign) }
        #expect(failure == .system(call: "bind", number: EADDRNOTAVAIL))
        #expect(failure?.description.hasPrefix("bind: ") == true)
    }
}
