import CastWire
import GatewayConfig
import GatewayCore
import GatewaySettings
import GatewayTesting
import NIOCore
import NIOEmbedded
import NamespaceHandlers

@testable import DeviceSessions
@testable import VirtualDevices

/// Two virtual devices that relay to one device, on an event loop whose time stands still.
final class RelayStage {
    let loop = EmbeddedEventLoop()
    let log = FuzzLog()
    let dialer: FuzzDialer
    let session: DeviceSession
    let relays: [DeviceRelay]
    let devices: [VirtualDevice]

    private static let yaml = """
        version: 1
        discovery:
          static: [{name: real, address: 192.0.2.99}]
        virtual_devices:
          - {name: hall, listen: "127.0.0.1:0", target: {device: real}}
          - {name: office, listen: "127.0.0.1:0", target: {device: real}, apps: [CC1AD845]}
        channels:
          - {namespace: "urn:x-cast:com.example.echo", handler: echo}
        """

    private static let configuration: Result<GatewayConfiguration, Violation> = {
        let result = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": RelayStage.yaml]), environment: [:])
        guard let configuration = result.configuration else { return .failure(Violation(result.report.text())) }
        return .success(configuration)
    }()

    init() throws {
        let configuration = try Self.configuration.get()
        let loop = self.loop
        let logger = self.log.logger()
        let dialer = FuzzDialer(on: loop)
        let session = DeviceSession(
            name: "real", candidates: [DeviceAddress(host: "192.0.2.99", port: 8009)],
            settings: DeviceSessionSettings(
                dialer: dialer,
                backoff: Backoff(initial: .seconds(1), maximum: .seconds(4), jitter: 0, random: { 0 }),
                sessions: SessionsConfiguration { $0.suspendAfter = .seconds(10) }),
            online: OnlineDevices(), events: EventBus(), eventLoop: loop, logger: logger)
        self.dialer = dialer
        self.session = session
        let registry = HandlerRegistry()
        try registry.replaceAll(with: configuration.builtInHandlers, guardedBy: configuration.messageGuard)
        let ids = ConnectionIDs()
        var relays: [DeviceRelay] = []
        self.devices = try configuration.virtualDevices.map { device in
            let facts = DeviceFacts.test(name: device.name, target: "real")
            let relay = DeviceRelay(virtualDevice: facts, session: session)
            relays.append(relay)
            return VirtualDevice(
                facts: facts, target: relay, signer: try FuzzSigner.make(on: loop), registry: registry,
                settings: configuration.routing.router, events: EventBus(), connectionIDs: ids, eventLoop: loop,
                logger: logger)
        }
        self.relays = relays
        for device in self.devices { device.start() }
        session.start()
    }

    func stop() {
        for device in self.devices { device.stop("the sequence ends") }
        self.session.stop(stoppingApps: false)
        self.dialer.refuse()
        self.loop.run()
    }
}
