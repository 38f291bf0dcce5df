import CastClient
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import NIOCore
import NIOPosix

@testable import DeviceSessions

/// One device of a directory that asks for proofs, and what is told of it.
struct VerificationBench {
    let device: FakeDevice
    let directory: DeviceSessionDirectory
    let events: EventSubscription
    let log: LogRecorder

    /// Runs the directory while `body` does.
    static func with(
        _ policy: CertificateVerification, anchors: [String], revocationAnchors: [String] = [],
        now: Int64 = ProvingIdentity.now, showsVideo: Bool? = nil, acceptsMissingNonce: Bool = false,
        prove: @escaping @Sendable (AuthChallenge) -> DeviceAuthMessage?,
        body: (VerificationBench) async throws -> Void
    ) async throws {
        let device = try await FakeDevice(
            on: MultiThreadedEventLoopGroup.singleton.next(), behaviour: .proving(prove))
        let bus = EventBus()
        let events = bus.subscribe()
        let log = LogRecorder()
        let directory = try await DeviceSessionDirectory(
            devices: ["tv": [DeviceAddress(host: "127.0.0.1", port: device.port)]],
            configuration: ConnectionsConfiguration {
                $0.reconnectInitial = .milliseconds(1)
                $0.reconnectMaximum = .milliseconds(2)
                $0.certificateVerification = policy
                $0.acceptsMissingNonce = acceptsMissingNonce
                $0.trustAnchors = anchors
                $0.revocationAnchors = revocationAnchors
            },
            events: bus, eventLoops: MultiThreadedEventLoopGroup.singleton, stopsApps: false, logger: log.logger(),
            wallClock: { now })
        if let showsVideo { directory.note(showsVideo: showsVideo, of: "tv") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await directory.run() }
            try await body(VerificationBench(device: device, directory: directory, events: events, log: log))
            group.cancelAll()
            try await group.waitForAll()
        }
        try await device.stop()
    }

    /// Waits for an event.
    func next<Value>(_ pick: (GatewayEvent) -> Value?) async -> Value? {
        for await event in self.events.events {
            if let value = pick(event) { return value }
        }
        return nil
    }

    func waitForOnline() async {
        _ = await self.next { $0 == .deviceOnline(target: "tv") ? true : nil }
    }

    /// What came of it.
    var outcome: DeviceAuthenticationOutcome? { self.directory.authentication(of: "tv")?.outcome }
}
