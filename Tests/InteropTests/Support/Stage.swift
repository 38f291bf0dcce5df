import BuiltInReceiver
import CastwayTestSupport
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewaySettings
import NIOCore
import NIOPosix
import NamespaceHandlers
import VirtualDevices

/// The virtual devices of the tests, and the state that their gateways keep from one run to the next.
///
/// `screen` is the built-in receiver; `lobby` relays to it.
struct Stage {
    static let host = "127.0.0.1"
    static let screen = "screen"
    static let lobby = "lobby"
    static let echo = ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo)
    static let board = ChannelConfiguration(namespace: "urn:x-cast:com.example.board", handler: .broadcast)

    private let nearState: TemporaryFolder
    private let farState: TemporaryFolder

    init() throws {
        self.nearState = try TemporaryFolder()
        self.farState = try TemporaryFolder()
    }

    /// A port that was free a moment ago.
    static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: Self.host, port: 0).get()
        defer { channel.close(promise: nil) }
        return channel.localAddress?.port ?? 0
    }

    /// A gateway with the built-in receiver alone.
    func far(
        port: Int = 0, volume: Double = 0.5, channels: [ChannelConfiguration] = [Self.echo, Self.board]
    ) -> GatewayConfiguration {
        self.gateway(
            state: self.farState, devices: [Self.screen(port: port, volume: volume)], target: nil, channels: channels)
    }

    /// A gateway that relays to a device at a port of this machine.
    func near(
        relayingTo target: Int, port: Int = 0, suspendAfter: Duration = SessionsConfiguration().suspendAfter
    ) -> GatewayConfiguration {
        var configuration = self.gateway(
            state: self.nearState, devices: [Self.lobby(port: port)], target: target,
            channels: [Self.echo, Self.board])
        configuration.sessions.suspendAfter = suspendAfter
        return configuration
    }

    /// One gateway with both devices, the second relaying to the first.
    func both(screen: Int, lobby: Int) -> GatewayConfiguration {
        self.gateway(
            state: self.nearState, devices: [Self.screen(port: screen, volume: 0.5), Self.lobby(port: lobby)],
            target: screen, channels: [Self.echo, Self.board])
    }

    private func gateway(
        state: TemporaryFolder, devices: [VirtualDeviceConfiguration], target: Int?, channels: [ChannelConfiguration]
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = devices
            $0.channels = channels
        }
        configuration.gateway.stateDirectory = state.path
        configuration.shutdown.drain = .milliseconds(100)
        // A PING must not be what wakes up a sender that has missed something.
        configuration.senders.heartbeat.interval = .seconds(60)
        configuration.senders.heartbeat.timeout = .seconds(120)
        configuration.connections.reconnectInitial = .milliseconds(20)
        configuration.connections.reconnectMaximum = .milliseconds(200)
        configuration.discovery.staticDevices =
            target.map {
                [StaticDevice(name: Self.screen, address: DialAddress(host: Self.host, port: $0))]
            } ?? []
        return configuration
    }

    private static func screen(port: Int, volume: Double) -> VirtualDeviceConfiguration {
        let options = SimulationOptions {
            $0.loadDelay = .milliseconds(20)
            $0.buffering = .milliseconds(20)
            $0.failures = [SimulatedFailure(match: Glob("*broken*")) { $0.detailedErrorCode = 311 }]
        }
        return VirtualDeviceConfiguration(
            name: Self.screen, listen: ListenAddress(host: Self.host, port: port), target: .local
        ) {
            $0.apps = [
                VirtualAppConfiguration(id: "CC1AD845") {
                    $0.player = .simulated
                    $0.options = options
                },
                VirtualAppConfiguration(id: "ABCD1234") {
                    $0.name = "Quiz"
                    $0.namespaces = [Self.echo.namespace, Self.board.namespace]
                },
            ]
            $0.volume = VolumeConfiguration { $0.level = volume }
        }
    }

    private static func lobby(port: Int) -> VirtualDeviceConfiguration {
        VirtualDeviceConfiguration(
            name: Self.lobby, listen: ListenAddress(host: Self.host, port: port), target: .device(Self.screen))
    }
}
