import CastWire
import GatewayConfig
import GatewayCore
import GatewaySettings
import GatewayTesting
import NIOCore
import NIOEmbedded

@testable import BuiltInReceiver
@testable import VirtualDevices

/// A virtual device with the built-in receiver and the built-in handlers, on an event loop whose time stands still.
final class ReceiverStage {
    let loop = EmbeddedEventLoop()
    let log = FuzzLog()
    let device: VirtualDevice
    let receiver: LocalReceiver
    /// Handles one namespace, slowly.
    let slow = DeferringHandler("slow", [Claim(.exact(SequenceGrammar.slow))])

    private static let yaml = """
        version: 1
        virtual_devices:
          - name: fuzz
            listen: 127.0.0.1:0
            target: local
            idle_timeout: 20s
            backdrop: true
            apps:
              CC1AD845:
                player: simulated
                namespaces: ["urn:x-cast:com.example.echo", "urn:x-cast:com.example.say", "urn:x-cast:com.example.app"]
                options:
                  failures:
                    - {match: fail, after: 500ms}
                    - {match: brittle, when: playback, after: 9s}
              ABCD1234: {namespaces: ["urn:x-cast:com.example.app"]}
              "51000000": {player: simulated, options: {launch_delay: 2s, load_delay: 0s, buffering: 0s}}
              "52000000": {launch: not_allowed}
              "53000000": {launch: cancelled}
              "54000000": {launch: not_found}
              "55000000": {launch: timeout}
              "56000000": {type: ANDROID_TV}
        routing:
          rules:
            - name: no-such-app
              when: {type: LAUNCH, app_not_in: [CC1AD845, ABCD1234, "51000000", "52000000", "53000000", "54000000", "55000000", "56000000"]}
              action: reject
        launch:
          credentials:
            default: {credentials: secret, credentials_type: cloud}
        channels:
          - {namespace: "urn:x-cast:com.example.echo", handler: echo}
          - {namespace: "urn:x-cast:com.example.say", handler: broadcast}
        """

    /// Read once: it is the same for every sequence.
    private static let configuration: Result<GatewayConfiguration, Violation> = {
        let result = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": ReceiverStage.yaml]), environment: [:])
        guard let configuration = result.configuration else { return .failure(Violation(result.report.text())) }
        return .success(configuration)
    }()

    init(_ sabotage: Sabotage?) throws {
        let configuration = try Self.configuration.get()
        guard let device = configuration.virtualDevices.first else { throw Violation("no virtual device") }
        let identity = ReceiverIdentity(
            uuid: "01234567-89ab-cdef-0123-456789abcdef", address: "192.0.2.1", startedAt: self.loop.now)
        let description = VirtualDeviceDescription(configuration: device.device, identity: identity)
        let sessions = SessionNumbers()
        let receiver = LocalReceiver(
            platform: ReceiverPlatform(
                configuration: device.receiver, description: description, makeID: { sessions.next() }),
            deviceName: device.name, eventLoop: self.loop)
        self.receiver = receiver
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: configuration.builtInHandlers + [self.slow], guardedBy: configuration.messageGuard)
        var settings = RouterSettings()
        settings.flowLimit = 4
        self.device = VirtualDevice(
            facts: .test(name: device.name), target: sabotage.map { SabotagedReceiver(receiver, $0) } ?? receiver,
            signer: try FuzzSigner.make(on: self.loop), registry: registry, settings: settings, events: EventBus(),
            connectionIDs: ConnectionIDs(), eventLoop: self.loop, logger: self.log.logger())
        self.device.start()
    }

    var platform: ReceiverPlatform { self.receiver.platform }
    var application: RunningApp? { self.platform.application }
}
