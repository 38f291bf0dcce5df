import CastDiscovery
import CastTransport
import CastwayTestSupport
import DeviceListening
import GatewayConfig
import GatewayCore
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import Passthrough

/// Who may connect, and what becomes of splices when the device moves.
@Suite(.timeLimit(.minutes(1))) struct PassthroughDeviceTests {
    private static let hello = PassthroughBench.hello

    /// Reads until the other end has no more, and says its own name at the beginning.
    private static func named(_ name: UInt8) -> @Sendable (RawPeer) async throws -> Void {
        { device in
            _ = try await device.receive(Self.hello.count)
            try await device.send([name])
            _ = try await device.receiveAll()
        }
    }

    private func refusal(from address: String = "127.0.0.1", _ bench: PassthroughBench) async throws -> String? {
        try await RawPeer.connect(to: bench.port, from: address) { sender in
            let back = try await sender.receiveAll()
            #expect(back == [])
        }
        return await bench.nextEnd()
    }

    @Test func aDeviceThatIsAwayRefusesAtOnce() async throws {
        try await PassthroughBench.with(nil) { bench in
            let reason = try await self.refusal(bench)
            #expect(reason == "the device is away")
            #expect(bench.host.state == .away)
        }
    }

    @Test func aDeviceThatDoesNotAnswerIsUnreachable() async throws {
        let port = try FreePort.next()
        try await PassthroughBench.with(.at(port)) { bench in
            try await RawPeer.connect(to: bench.port) { sender in
                try await sender.send(Self.hello)
                let back = try await sender.receiveAll()
                #expect(back == [])
            }
            let reason = await bench.nextEnd()
            #expect(reason?.hasPrefix("the device cannot be reached: 127.0.0.1:\(port): ") == true)
        }
    }

    @Test func theNextAddressIsTried() async throws {
        let closed = try FreePort.next()
        try await RawPeer.listen(Self.named(7)) { open in
            let device = PassedDevice(
                record: nil, addresses: [closed, open].map { DialAddress(host: "127.0.0.1", port: $0) })
            try await PassthroughBench.with(device) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    let name = try await sender.receive(1)
                    #expect(name == [7])
                }
            }
        }
    }

    @Test func sendersOfAnAddressThatTheDeviceHasLeftAreCut() async throws {
        try await RawPeer.listen(Self.named(1)) { first in
            try await RawPeer.listen(Self.named(2)) { second in
                try await PassthroughBench.with(.at(first)) { bench in
                    try await RawPeer.connect(to: bench.port) { sender in
                        try await sender.send(Self.hello)
                        let name = try await sender.receive(1)
                        #expect(name == [1])
                        await bench.follow(.at(second))
                        let rest = try await sender.receiveAll()
                        #expect(rest == [])
                    }
                    let moved = await bench.nextEnd()
                    #expect(moved == "the device is at another address now")
                    try await RawPeer.connect(to: bench.port) { sender in
                        try await sender.send(Self.hello)
                        let name = try await sender.receive(1)
                        #expect(name == [2])
                        await bench.follow(nil)
                        let rest = try await sender.receiveAll()
                        #expect(rest == [])
                    }
                    let away = await bench.nextEnd()
                    #expect(away == "the device is away")
                }
            }
        }
    }

    @Test func aDeviceThatRestartsEndsItsSplices() async throws {
        try await RawPeer.listen { device in
            _ = try await device.receive(Self.hello.count)
        } body: { port in
            try await PassthroughBench.with(.at(port)) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    _ = try await sender.receiveAll()
                }
                let reason = await bench.nextEnd()
                #expect(reason == "closed by the device")
            }
        }
    }

    @Test func addressesAreCountedAndNotConnections() async throws {
        try await RawPeer.listen(Self.named(3)) { port in
            try await PassthroughBench.with(.at(port)) { settings, _ in
                settings.senders.maximumAddresses = 1
            } body: { bench in
                try await RawPeer.connect(to: bench.port) { first in
                    try await first.send(Self.hello)
                    _ = try await first.receive(1)
                    try await RawPeer.connect(to: bench.port) { second in
                        try await second.send(Self.hello)
                        let name = try await second.receive(1)
                        #expect(name == [3])
                    }
                    try await RawPeer.connect(to: bench.port, from: "127.0.0.2") { other in
                        let back = try await other.receiveAll()
                        #expect(back == [])
                    }
                    let reason = await bench.nextEnd()
                    let next = reason == "closed by the sender" ? await bench.nextEnd() : reason
                    #expect(next == "as many addresses are connected as senders.max allows")
                }
            }
        }
    }

    @Test func theAddressMustBeAllowed() async throws {
        let range = try #require(AddressRange("127.0.0.3"))
        try await PassthroughBench.with(.at(1)) { settings, _ in
            settings.senders.allow = [range]
        } body: { bench in
            let reason = try await self.refusal(bench)
            #expect(reason == "the address is not in senders.allow")
        }
    }

    @Test func aJoinCodeLetsAnAddressInAndCheckOutCutsIt() async throws {
        let rights = PassthroughBench.Rights()
        try await RawPeer.listen(Self.named(4)) { port in
            try await PassthroughBench.with(.at(port), rights: rights) { settings, _ in
                settings.senders.join = .required
            } body: { bench in
                let refused = try await self.refusal(bench)
                #expect(refused == "the address has redeemed no join code")
                rights.allow("127.0.0.1")
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    _ = try await sender.receive(1)
                    let closed = await bench.environment.running.disconnect(from: "room", reason: "checked out") {
                        $0.address == "127.0.0.1"
                    }
                    #expect(closed?.map(\.address) == ["127.0.0.1"])
                    let rest = try await sender.receiveAll()
                    #expect(rest == [])
                }
                let reason = await bench.nextEnd()
                #expect(reason == "checked out")
            }
        }
    }

    /// A guest who has checked out does not come in by a connection that was accepted before and had not begun.
    @Test func aConnectionThatHasNotBegunIsJudgedAnew() async throws {
        let rights = PassthroughBench.Rights()
        rights.allow("127.0.0.1")
        try await RawPeer.listen(Self.named(4)) { port in
            try await PassthroughBench.with(.at(port), rights: rights) { settings, _ in
                settings.senders.join = .required
            } body: { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Array(Self.hello.prefix(3)))
                    // The connection is accepted before another one is that comes later.
                    try await RawPeer.connect(to: bench.port) { other in
                        try await other.send(Self.hello)
                        _ = try await other.receive(1)
                    }
                    rights.disallow("127.0.0.1")
                    try await sender.send(Array(Self.hello.dropFirst(3)))
                    let rest = try await sender.receiveAll()
                    #expect(rest == [])
                }
                var reasons: Set<String?> = []
                for _ in 0..<2 {
                    let reason = await bench.nextEnd()
                    reasons.insert(reason)
                }
                #expect(reasons == ["closed by the sender", "the address has redeemed no join code"])
            }
        }
    }

    @Test func sendersComeAtTheirHours() async throws {
        let night = try #require(WeekTimes("22:00-06:00"))
        try await PassthroughBench.with(.at(1)) { settings, _ in
            settings.senders.during = [night]
        } body: { bench in
            let reason = try await self.refusal(bench)
            #expect(reason == "the time is not in senders.during")
        }
    }

    /// It does not dial itself, whatever discovery says.
    @Test func ownEndPointsAreNoCandidates() async throws {
        try await PassthroughBench.with(nil) { bench in
            await bench.follow(.at(bench.port))
            let reason = try await self.refusal(bench)
            #expect(reason == "no address of the device may be dialled from here")
        }
    }

    @Test func stoppingCutsWithItsReason() async throws {
        try await RawPeer.listen(Self.named(5)) { port in
            try await PassthroughBench.with(.at(port)) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    _ = try await sender.receive(1)
                    bench.service.stop("the gateway stops")
                    let rest = try await sender.receiveAll()
                    #expect(rest == [])
                }
                let reason = await bench.nextEnd()
                #expect(reason == "the gateway stops")
            }
        }
    }

    // MARK: What is announced

    private final class Clock: Sendable {
        let seconds = Mutex<Int64>(PassthroughBench.noon)
    }

    private final class Tables: Sendable {
        let table = Mutex(InterfaceTable([]))
    }

    @Test func itIsAnnouncedWhileTheDeviceIsThereAndSendersMayCome() throws {
        let network = AnnouncedNetwork()
        let log = LogRecorder()
        let loop = EmbeddedEventLoop()
        let clock = Clock()
        var settings = PassthroughSettings(
            name: "room", listen: ListenAddress(host: "10.20.0.12", port: 8009), target: "tv")
        settings.announcing = AnnouncingSettings(interfaces: ["guests0"])
        settings.senders.during = [try #require(WeekTimes("08:00-13:00"))]
        settings.timeZone = "UTC"
        let limits = ConnectionLimits(total: 1, perAddress: 1)
        let environment = PassthroughEnvironment(
            events: EventBus(), eventLoops: loop, admission: Admission(senders: limits, setup: limits, admin: limits),
            rights: NoSenderRights(), announcer: DeviceAnnouncer(network: network, logger: log.logger()),
            ownEndpoints: OwnEndpoints(), connectionIDs: ConnectionIDs(),
            shortage: AcceptShortageLog(logger: log.logger()))
        let tables = Tables()
        let told = Mutex<[GatewayEvent]>([])
        let subscription = environment.events.subscribe(seesMessages: false) { event in
            told.withLock { $0.append(event) }
            return false
        }
        let device = PassthroughDevice(
            settings, environment: environment,
            refusals: RefusalLog(device: "room", events: environment.events, logger: log.logger()), eventLoop: loop,
            logger: log.logger(), wallClock: { clock.seconds.withLock { $0 } },
            interfaces: { tables.table.withLock { $0 } })
        let tv = PassedDevice(
            record: try PassthroughAnnouncementTests.record(), addresses: [DialAddress(host: "10.0.5.12", port: 8009)])
        device.follow(tv)
        #expect(network.history == [])
        device.listens(at: 8009)
        // The interface comes up a little later than the gateway.
        #expect(network.history == [])
        #expect(device.overview.state == .listening)
        tables.table.withLock {
            $0 = InterfaceTable([
                .init(name: "guests0", index: 3, address: "10.20.0.1", netmask: "255.255.0.0")
            ])
        }
        loop.advanceTime(by: .seconds(5))
        #expect(network.history == ["+room@guests0"])
        #expect(device.overview.state == .announced)
        #expect(device.overview.announcedIn == ["guests0"])
        // Nothing new is nothing to say.
        device.follow(tv)
        #expect(network.history.count == 1)
        device.follow(nil)
        #expect(network.history == ["+room@guests0", "-room@guests0"])
        #expect(device.overview.state == .away)
        device.follow(tv)
        clock.seconds.withLock { $0 += 3600 }
        loop.advanceTime(by: .seconds(3595))
        #expect(network.history == ["+room@guests0", "-room@guests0", "+room@guests0", "-room@guests0"])
        #expect(device.overview.state == .closed)
        #expect(told.withLock { $0 } == [.passed(device: "room", .closed)])
        clock.seconds.withLock { $0 += 20 * 3600 }
        loop.advanceTime(by: .seconds(3600))
        #expect(told.withLock { $0 } == [.passed(device: "room", .closed), .passed(device: "room", .opened)])
        #expect(network.history.last == "+room@guests0")
        // The clock is set: no time passes.
        for (step, change) in [(6 * 3600, "-room@guests0"), (-6 * 3600, "+room@guests0")] as [(Int64, String)] {
            clock.seconds.withLock { $0 += step }
            environment.events.clock.announce()
            loop.run()
            #expect(network.history.last == change)
        }
        #expect(subscription.droppedCount == 0)
        device.stop("over")
        environment.events.clock.announce()
        loop.run()
        #expect(network.history.count == 8)
    }
}
