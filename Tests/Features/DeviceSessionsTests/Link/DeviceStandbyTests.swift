import CastClient
import CastTransport
import CastwayTestSupport
import GatewayCore
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

/// A second channel to a device whose first one may be lost. With pauses of an hour nothing else can be what brings it back.
@Suite(.timeLimit(.minutes(1))) struct DeviceStandbyTests {
    private func with(
        _ body: (
            _ session: NIOLoopBound<DeviceSession>, _ device: FakeDevice, _ there: DeviceAddress,
            _ events: EventSubscription
        ) async throws -> Void
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let device = try await FakeDevice(on: eventLoop)
        let there = DeviceAddress(host: "127.0.0.1", port: device.port)
        let bus = EventBus()
        let events = bus.subscribe()
        let session = try await DeviceAddressTests.session(
            eventLoop, pause: .seconds(3600), candidates: [there], events: bus)
        try await eventLoop.submit { session.value.start() }.get()
        for await event in events.events where event.name == "device.online" { break }
        try await body(session, device, there, events)
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
        try await device.stop()
    }

    @Test func aDeviceThatIsThereAgainAnswersOnTheSecondChannel() async throws {
        try await self.with { session, device, there, events in
            try await device.stopReading()
            try await session.eventLoop.submit { session.value.link.setCandidates([there], isAnnounced: true) }.get()
            for await event in events.events where event.name == "device.offline" { break }
            for await event in events.events where event.name == "device.online" { break }
            let (isAlone, address) = try await session.eventLoop.submit {
                (!session.value.link.hasStandby, session.value.link.address)
            }.get()
            #expect(isAlone && address == there)
        }
    }

    @Test func aChannelThatAnswersIsKept() async throws {
        try await self.with { session, device, there, events in
            try await session.eventLoop.submit {
                session.value.link.dialStandby()
                session.value.link.setCandidates([there], isAnnounced: true)
            }.get()
            let closed = await device.events.next { if case .closed(let number) = $0 { number } else { nil } }
            #expect(closed == 1)
            let (isAlone, isOnline) = try await session.eventLoop.submit {
                (!session.value.link.hasStandby, session.value.isOnline)
            }.get()
            #expect(isAlone && isOnline)
        }
    }

    /// An address that takes calls and answers none is not waited for once there is another.
    @Test func anAddressThatIsNewsIsDialledInPlaceOfTheOld() async throws {
        try await self.with { session, device, _, events in
            let mute = try await ServerBootstrap(group: session.eventLoop).bind(host: "127.0.0.1", port: 0).get()
            let moved = try await FakeDevice(on: session.eventLoop)
            let dead = DeviceAddress(host: "127.0.0.1", port: mute.localAddress?.port ?? 0)
            let there = DeviceAddress(host: "127.0.0.1", port: moved.port)
            try await device.stopReading()
            try await session.eventLoop.submit {
                session.value.link.setCandidates([dead], isAnnounced: false)
                session.value.link.dialStandby()
                session.value.link.setCandidates([there], isAnnounced: true)
            }.get()
            for await event in events.events where event.name == "device.online" { break }
            #expect(try await session.eventLoop.submit { session.value.link.address }.get() == there)
            try await session.eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
            try await moved.stop()
            try await mute.close()
        }
    }

    /// A device that hangs up while the standby stands is lost, and online again on the standby.
    @Test func theSecondChannelFollowsTheFirstThatEnds() async throws {
        try await self.with { session, device, _, events in
            try await device.stopReading()
            // A standby that stands is dropped at once unless the first channel is probed.
            try await session.eventLoop.submit {
                session.value.link.hostSlept()
                session.value.link.dialStandby()
            }.get()
            _ = await device.events.next { if case .opened(1) = $0 { true } else { nil } }
            try await device.hangUp()
            for await event in events.events where event.name == "device.offline" { break }
            for await event in events.events where event.name == "device.online" { break }
            #expect(try await session.eventLoop.submit { !session.value.link.hasStandby }.get())
        }
    }

    @Test func stoppingHangsBothUp() async throws {
        try await self.with { session, device, _, _ in
            try await device.stopReading()
            try await session.eventLoop.submit { session.value.link.dialStandby() }.get()
            _ = await device.events.next { if case .opened(1) = $0 { true } else { nil } }
            try await session.eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
            let isAlone = try await session.eventLoop.submit { !session.value.link.hasStandby }.get()
            #expect(isAlone)
        }
    }

    @Test func aChannelThatIsAcknowledgedIsNotStuck() async throws {
        try await self.with { session, _, _, _ in
            let count = try await session.eventLoop.submit {
                var count: Int?
                session.value.link.channel.secured?.measureRetransmission { count = $0?.count }
                return count
            }.get()
            #expect(count == 0)
        }
    }
}
