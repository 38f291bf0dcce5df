import CastDiscovery
import CastTransport
import CastwayTestSupport
import DeviceListening
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Passthrough

/// A device that is passed through, on loopback.
struct PassthroughBench {
    /// Lets those addresses in that a test says.
    final class Rights: SenderRights {
        private let allowed = Mutex<Set<String>>([])

        func allow(_ address: String) { self.allowed.withLock { _ = $0.insert(address) } }
        func disallow(_ address: String) { self.allowed.withLock { _ = $0.remove(address) } }
        func mayConnect(_ address: String, to device: String) -> Bool { self.allowed.withLock { $0.contains(address) } }
        func joined(_ session: String, on device: String, from address: String) {}
    }

    /// Monday, 5 January 2026, 12:00 UTC.
    static let noon: Int64 = 1_767_614_400
    static let hello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC]

    let host: PassthroughHost
    let service: ListeningService
    let environment: PassthroughEnvironment
    let port: Int
    let log: LogRecorder
    private let ends: EventSubscription

    /// Runs one as long as `body` does.
    static func with(
        _ device: PassedDevice?, rights: any SenderRights = NoSenderRights(), limits: ConnectionLimits? = nil,
        _ change: (inout PassthroughSettings, inout PassthroughEnvironment) -> Void = { _, _ in },
        body: (PassthroughBench) async throws -> Void
    ) async throws {
        let events = EventBus()
        let log = LogRecorder()
        let most = limits ?? ConnectionLimits(total: 4096, perAddress: 4096)
        var environment = PassthroughEnvironment(
            events: events, eventLoops: MultiThreadedEventLoopGroup.singleton,
            admission: Admission(senders: most, setup: most, admin: ConnectionLimits(total: 1, perAddress: 1)),
            rights: rights, announcer: nil, ownEndpoints: OwnEndpoints(), connectionIDs: ConnectionIDs(),
            shortage: AcceptShortageLog(logger: log.logger()))
        var settings = PassthroughSettings(
            name: "room", listen: ListenAddress(host: "127.0.0.1", port: 0), target: "tv"
        ) {
            $0.announcing.isOn = false
            $0.timeZone = "UTC"
        }
        change(&settings, &environment)
        let host = PassthroughHost(
            PassthroughTerms(settings, environment: environment), logger: log.logger(), wallClock: { Self.noon })
        let service = ListeningService(host)
        host.follow(device)
        let ends = events.subscribe { event in
            switch event {
            case .senderConnected, .senderDisconnected, .senderRefused: true
            default: false
            }
        }
        let made = environment
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let port = try await service.untilListening().castPort
            try await body(
                PassthroughBench(host: host, service: service, environment: made, port: port, log: log, ends: ends))
            service.stop("the test is over")
            try await group.waitForAll()
        }
    }

    /// Tells where the device is now, and waits until that is known.
    func follow(_ device: PassedDevice?) async {
        self.host.follow(device)
        _ = await self.environment.running.overview(of: "room")
    }

    /// The reason why the next connection of a sender ended, or was refused.
    func nextEnd() async -> String? {
        for await event in self.ends.events {
            switch event {
            case .senderDisconnected(_, _, let reason, _): return reason
            case .senderRefused(_, _, let reason, _): return reason
            default: continue
            }
        }
        return nil
    }

    /// Waits until a sender is connected.
    func nextConnection() async {
        for await event in self.ends.events {
            if case .senderConnected = event { return }
        }
    }
}

extension PassedDevice {
    /// A device at a port of this machine, which has not been heard.
    static func at(_ port: Int) -> PassedDevice {
        PassedDevice(record: nil, addresses: [DialAddress(host: "127.0.0.1", port: port)])
    }
}
