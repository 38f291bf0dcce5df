import CastClient
import CastTransport
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

/// How a device is found that is not where it was.
@Suite(.timeLimit(.minutes(1))) struct DeviceAddressTests {
    static func session(
        _ eventLoop: any EventLoop, pause: Duration, candidates: [DeviceAddress], events: EventBus
    ) async throws -> NIOLoopBound<DeviceSession> {
        let dialer = try CastDialer(
            pipeline: CastPipeline(
                role: .sender, heartbeat: .init(interval: .seconds(60), timeout: .seconds(120)),
                handshakeTimeout: .seconds(20)),
            timeout: .seconds(20))
        return try await eventLoop.submit {
            let backoff = Backoff(initial: pause, maximum: pause, jitter: 0, random: { 0 })
            return NIOLoopBound(
                DeviceSession(
                    name: "fake", candidates: candidates,
                    settings: DeviceSessionSettings(dialer: dialer, backoff: backoff), online: OnlineDevices(),
                    events: events, eventLoop: eventLoop, logger: LogRecorder().logger()),
                eventLoop: eventLoop)
        }.get()
    }

    /// With pauses of an hour, only an announcement can be what wakes the retry.
    private func find(
        candidates: (_ gone: DeviceAddress, _ there: DeviceAddress) -> [DeviceAddress],
        then: @escaping @Sendable (DeviceSession, _ there: DeviceAddress) -> Void
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let gone = DeviceAddress(host: "127.0.0.1", port: try FreePort.next())
        let device = try await FakeDevice(on: eventLoop)
        let there = DeviceAddress(host: "127.0.0.1", port: device.port)
        let bus = EventBus()
        let events = bus.subscribe()
        let session = try await Self.session(
            eventLoop, pause: .seconds(3600), candidates: candidates(gone, there), events: bus)
        try await eventLoop.submit { session.value.start() }.get()
        let known = candidates(gone, there)
        if !known.contains(there) {
            if !known.isEmpty { for await event in events.events where event.name == "device.offline" { break } }
            try await eventLoop.submit { then(session.value, there) }.get()
        }
        for await event in events.events where event == .deviceOnline(target: "fake") { break }
        #expect(try await eventLoop.submit { session.value.link.address }.get() == there)
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
        try await device.stop()
    }

    @Test func everyAddressIsTriedWithoutAPause() async throws {
        try await self.find(candidates: { [$0, $1] }, then: { _, _ in })
    }

    @Test func aNewAddressEndsThePause() async throws {
        try await self.find(candidates: { gone, _ in [gone] }) { session, there in
            session.link.setCandidates([there], isAnnounced: false)
        }
    }

    @Test func aDeviceWithoutAddressIsWaitedFor() async throws {
        try await self.find(candidates: { _, _ in [] }) { session, there in
            session.link.setCandidates([], isAnnounced: true)
            session.link.setCandidates([there], isAnnounced: true)
        }
    }

    @Test func anAnnouncementEndsThePause() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let device = try await FakeDevice(on: eventLoop)
        let there = DeviceAddress(host: "127.0.0.1", port: device.port)
        let bus = EventBus()
        let events = bus.subscribe()
        let session = try await Self.session(eventLoop, pause: .seconds(3600), candidates: [there], events: bus)
        try await eventLoop.submit { session.value.start() }.get()
        for await event in events.events where event.name == "device.online" { break }
        try await device.hangUp()
        for await event in events.events where event.name == "device.offline" { break }
        try await eventLoop.submit { session.value.link.setCandidates([there], isAnnounced: false) }.get()
        #expect(
            try await eventLoop.submit { session.value.link.attempt == nil || !session.value.link.isConnected }.get())
        try await eventLoop.submit { session.value.link.setCandidates([there], isAnnounced: true) }.get()
        for await event in events.events where event.name == "device.online" { break }
        // One that answers is left where it is, wherever else it may be.
        let elsewhere = DeviceAddress(host: "127.0.0.1", port: 1)
        try await eventLoop.submit { session.value.link.setCandidates([elsewhere], isAnnounced: true) }.get()
        #expect(try await eventLoop.submit { session.value.isOnline }.get())
        #expect(try await eventLoop.submit { session.value.link.candidates.all }.get() == [elsewhere, there])
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
        try await device.stop()
    }

    /// The heartbeat here would take two minutes.
    @Test func aDeviceThatIsSilentAndAnnouncedElsewhereIsDialledThere() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let silent = try await FakeDevice(on: eventLoop)
        let moved = try await FakeDevice(on: eventLoop)
        let there = DeviceAddress(host: "127.0.0.1", port: moved.port)
        let bus = EventBus()
        let events = bus.subscribe()
        let session = try await Self.session(
            eventLoop, pause: .seconds(3600), candidates: [DeviceAddress(host: "127.0.0.1", port: silent.port)],
            events: bus)
        try await eventLoop.submit { session.value.start() }.get()
        for await event in events.events where event.name == "device.online" { break }
        try await silent.stopReading()
        try await eventLoop.submit {
            session.value.link.setCandidates([there], isAnnounced: true)
            // The same device is heard on several interfaces.
            session.value.link.setCandidates([there], isAnnounced: true)
        }.get()
        for await event in events.events where event.name == "device.online" { break }
        #expect(try await eventLoop.submit { session.value.link.address }.get() == there)
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
        try await silent.stop()
        try await moved.stop()
    }
}
