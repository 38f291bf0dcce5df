import CastClient
import CastTransport
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOPosix

@testable import DeviceSessions

/// A device's session with relays on it, on one event loop with a fake device.
final class RelayBench: Sendable {
    struct Relay: Sendable {
        let relay: NIOLoopBound<DeviceRelay>
        /// Kept alive here: the relay holds it weakly.
        let output: NIOLoopBound<RecordingSenders>
        let heard: Inbox<RecordingSenders.Event>
    }

    let eventLoop: any EventLoop
    let device: FakeDevice
    let relays: [Relay]
    let events: EventSubscription
    private let session: NIOLoopBound<DeviceSession>

    /// Starts everything; nothing has been dialled yet when it returns.
    static func with(
        relays: Int = 1, behaviour: FakeDevice.Behaviour = .usual(.idle),
        heartbeat: Heartbeat.Settings = .init(interval: .seconds(60), timeout: .seconds(120)),
        suspendAfter: Duration = .zero, waitForDevice: Duration = .zero, pause: Duration = .milliseconds(1),
        body: (RelayBench) async throws -> Void
    ) async throws {
        let bench = try await RelayBench(
            relays: relays, behaviour: behaviour, heartbeat: heartbeat, suspendAfter: suspendAfter,
            waitForDevice: waitForDevice, pause: pause)
        do {
            try await body(bench)
        } catch {
            try? await bench.stop()
            throw error
        }
        try await bench.stop()
    }

    private init(
        relays: Int, behaviour: FakeDevice.Behaviour, heartbeat: Heartbeat.Settings, suspendAfter: Duration,
        waitForDevice: Duration, pause: Duration
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let device = try await FakeDevice(on: eventLoop, behaviour: behaviour)
        let bus = EventBus()
        self.events = bus.subscribe()
        self.eventLoop = eventLoop
        self.device = device
        let session = try await Self.makeSession(
            port: device.port, heartbeat: heartbeat, suspendAfter: suspendAfter, waitForDevice: waitForDevice,
            pause: pause, events: bus, on: eventLoop)
        self.session = session
        self.relays = try await eventLoop.submit {
            (0..<relays).map { number in
                let facts = DeviceFacts.test(name: "virtual-\(number)", target: "fake")
                let relay = DeviceRelay(virtualDevice: facts, session: session.value)
                let output = RecordingSenders()
                relay.start(output: output)
                return Relay(
                    relay: NIOLoopBound(relay, eventLoop: eventLoop),
                    output: NIOLoopBound(output, eventLoop: eventLoop), heard: output.events)
            }
        }.get()
    }

    static func makeSession(
        port: Int, heartbeat: Heartbeat.Settings, suspendAfter: Duration = .zero, waitForDevice: Duration = .zero,
        pause: Duration = .milliseconds(1), events: EventBus,
        on eventLoop: any EventLoop
    ) async throws -> NIOLoopBound<DeviceSession> {
        let dialer = try CastDialer(
            pipeline: CastPipeline(role: .sender, heartbeat: heartbeat, handshakeTimeout: .seconds(20)),
            timeout: .seconds(20))
        let backoff = Backoff(initial: pause, maximum: pause * 2, jitter: 0, random: { 0 })
        return try await eventLoop.submit {
            NIOLoopBound(
                DeviceSession(
                    name: "fake", candidates: [DeviceAddress(host: "127.0.0.1", port: port)],
                    settings: DeviceSessionSettings(
                        dialer: dialer, backoff: backoff,
                        sessions: SessionsConfiguration {
                            $0.suspendAfter = suspendAfter
                            $0.waitForDevice = waitForDevice
                        }),
                    online: OnlineDevices(), events: events, eventLoop: eventLoop,
                    logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })),
                eventLoop: eventLoop)
        }.get()
    }

    func stop() async throws {
        try await self.onSession { $0.stop(stoppingApps: false) }
        try await self.device.stop()
    }

    func onSession<Value: Sendable>(_ body: @escaping @Sendable (DeviceSession) throws -> Value) async throws -> Value {
        try await self.eventLoop.submit { try body(self.session.value) }.get()
    }

    /// Does something with a relay, and lets everything leave.
    func onRelay<Value: Sendable>(
        _ number: Int = 0, _ body: @escaping @Sendable (DeviceRelay) -> Value
    ) async throws -> Value {
        try await self.eventLoop.submit {
            let relay = self.relays[number].relay.value
            defer { relay.flush() }
            return body(relay)
        }.get()
    }

    /// Dials, and waits until the device has answered.
    func goOnline() async throws {
        try await self.onSession { $0.start() }
        await self.waitForOnline()
    }

    /// Waits until the device is online, and until the senders were told.
    func waitForOnline() async {
        for await event in self.events.events {
            if case .deviceOnline = event { break }
        }
        for relay in self.relays { _ = await relay.heard.next { if case .broadcast = $0 { true } else { nil } } }
    }

    func nextEvent<Value>(_ pick: (GatewayEvent) -> Value?) async -> Value? {
        for await event in self.events.events {
            if let value = pick(event) { return value }
        }
        return nil
    }
}
