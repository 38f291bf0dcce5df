import CastwayTestSupport
import GatewayCore
import Glibc
import MediaRelay
import Synchronization
import Testing

@testable import Passthrough

/// Streams between addresses of this machine. What the gate would bring is told directly, since it takes a right to have one.
@Suite(.timeLimit(.minutes(1))) struct PassedStreamsTests {
    private struct Bench {
        let events = EventBus()
        let log = LogRecorder()
        let streams: PassedStreams
        let told: EventSubscription
        /// Where the phone's stream comes from, and where the device takes it.
        let phone: UDPPeer
        let device: UDPPeer
        let screen: MediaEndpoint
        var sender: MediaEndpoint {
            get throws { try #require(MediaEndpoint(host: "127.0.0.7", port: self.phone.port)) }
        }

        init(idleTime: Duration = .seconds(60), limits: PassedStreamTable.Limits = .init()) throws {
            self.phone = try UDPPeer("127.0.0.7")
            self.device = try UDPPeer("127.0.0.6")
            self.screen = try #require(MediaEndpoint(host: "127.0.0.5", port: self.device.port))
            self.told = self.events.subscribe { if case .mirroring = $0 { true } else { false } }
            self.streams = PassedStreams(
                events: self.events, logger: self.log.logger(), limits: limits,
                pool: MediaRelayPool(checkInterval: .milliseconds(20)), idleTime: idleTime
            ) { () throws(MediaRelayError) in throw .unfit("a test has none") }
        }

        func admit(_ connection: UInt64 = 1) throws {
            self.streams.admit(
                ConnectionID(rawValue: connection), of: try self.sender, at: self.screen, to: "room",
                try #require(MediaEndpoint(host: "127.0.0.6", port: 8009)))
        }

        /// What becomes of the phone's next datagram: the relay that takes it, or why it is dropped.
        func decide() throws -> (relay: MediaRelay?, reason: MediaCounts.Drop?) {
            switch self.streams.decide(try self.sender, self.screen) {
            case .pass(let relay): (relay, nil)
            case .drop(let reason): (nil, reason)
            }
        }

        func next() async -> MirroringChange? {
            for await event in self.told.events {
                if case .mirroring(_, let change) = event { return change }
            }
            return nil
        }
    }

    @Test func datagramsPassBothWaysAtTheDevicesOwnPort() async throws {
        let bench = try Bench()
        try bench.admit()
        let first = try bench.decide()
        #expect(first.relay != nil)
        let again = try bench.decide()
        #expect(again.relay === first.relay && first.relay != nil)
        guard case .started(let facts)? = await bench.next() else {
            Issue.record("no event")
            return
        }
        #expect(facts.sender == "127.0.0.7" && facts.address == "127.0.0.5" && facts.app == nil)
        #expect(facts.port == bench.device.port && facts.devicePort == bench.device.port)
        // From now on the kernel gives the sender's datagrams to the stream's own socket.
        try bench.phone.send([1, 2, 3], to: bench.device.port, at: "127.0.0.5")
        let there = try #require(bench.device.receive())
        #expect(there.bytes == [1, 2, 3])
        try bench.device.send([4], to: there.port)
        let back = try #require(bench.phone.receive())
        #expect(back.bytes == [4] && back.port == bench.device.port)
        #expect(bench.streams.streams(of: "room").map(\.packets.toDevice) == [1])
        bench.streams.dismiss(ConnectionID(rawValue: 1), .senderGone)
        guard case .ended(let ended, .senderGone)? = await bench.next() else {
            Issue.record("no end")
            return
        }
        #expect(ended.packets == (1, 1) && ended.bytes == (3, 1))
        let counts = bench.streams.counts
        #expect(counts.open == 0 && counts.ended == 1)
        let later = try bench.decide()
        #expect(later.reason == .foreignAddress)
    }

    @Test func twoPortsOfASenderAreTwoStreams() async throws {
        let bench = try Bench()
        try bench.admit()
        let first = try bench.decide().relay
        let second = try UDPPeer("127.0.0.7")
        let sender = try #require(MediaEndpoint(host: "127.0.0.7", port: second.port))
        guard case .pass(let relay) = bench.streams.decide(sender, bench.screen) else {
            Issue.record("the second stream was dropped")
            return
        }
        #expect(first !== relay)
        // Both have the same address and port here, and each gets what its own sender sends.
        for (peer, byte) in [(second, UInt8(2)), (bench.phone, 1)] {
            try peer.send([byte], to: bench.device.port, at: "127.0.0.5")
            let there = try #require(bench.device.receive())
            #expect(there.bytes == [byte])
            try bench.device.send([byte], to: there.port)
            #expect(peer.receive()?.bytes == [byte])
        }
        bench.streams.dismiss(ConnectionID(rawValue: 1), .senderGone)
        #expect(bench.streams.counts.ended == 2)
    }

    @Test func aSilentStreamEndsAndTheNextDatagramBeginsAnother() async throws {
        let bench = try Bench(idleTime: .milliseconds(1))
        try bench.admit()
        let first = try bench.decide().relay
        var changes: [String] = []
        for _ in 0..<2 { changes.append(await bench.next()?.name ?? "") }
        #expect(changes == ["mirroring.started", "mirroring.ended"])
        let second = try bench.decide().relay
        #expect(second != nil && second !== first)
        bench.streams.dismiss(ConnectionID(rawValue: 1), .deviceStopped)
    }

    @Test func whatCannotBeOpenedIsToldOnce() async throws {
        let bench = try Bench()
        // Not an address of this machine.
        let foreign = try #require(MediaEndpoint(host: "192.0.2.1", port: 40_000))
        bench.streams.admit(
            ConnectionID(rawValue: 1), of: try bench.sender, at: foreign, to: "room", try bench.sender)
        for _ in 0..<3 {
            guard case .drop(.failed) = bench.streams.decide(try bench.sender, foreign) else {
                Issue.record("not dropped")
                return
            }
        }
        #expect(bench.log.entries.count { $0.message == "A mirrored stream does not pass" } == 1)
        guard case .refused(let sender, nil, let reason)? = await bench.next() else {
            Issue.record("no event")
            return
        }
        #expect(sender == "127.0.0.7" && reason.hasPrefix("bind: "))
        #expect(bench.streams.counts.open == 0)
    }

    @Test func withoutASocketTheReasonIsKeptAndLoggedOnce() throws {
        let bench = try Bench()
        #expect(bench.streams.obstacle == nil)
        bench.streams.begin()
        bench.streams.begin()
        #expect(bench.streams.obstacle == "the socket that was handed over cannot be used: a test has none")
        #expect(bench.log.entries.count { $0.message.hasPrefix("Mirroring does not pass") } == 1)
    }

    /// Several devices begin at the same time, and a socket that is handed over can be taken once only.
    @Test func theSocketIsTakenOnce() async throws {
        let taken = Mutex(0)
        let streams = PassedStreams(events: EventBus(), logger: LogRecorder().logger()) {
            () throws(MediaRelayError) in
            let isFirst = taken.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst, let address = MediaEndpoint(host: "127.0.0.1", port: 0) else {
                throw .unfit("it was taken before")
            }
            return try .bound(to: address)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 { group.addTask { streams.begin() } }
        }
        #expect(taken.withLock { $0 } == 1)
        #expect(streams.obstacle == nil)
    }
}
