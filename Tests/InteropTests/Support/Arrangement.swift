import GatewayApp
import GatewayCore
import GatewayFixtures
import NamespaceHandlers
import Testing

/// Where the senders and the device are.
enum Arrangement: String, CaseIterable, CustomStringConvertible {
    /// The senders use the built-in receiver.
    case local
    /// The senders use a relay to the built-in receiver of another gateway.
    case relay
    /// The same, within one gateway on fixed ports.
    case oneGateway

    /// What a test needs to know of the running devices.
    struct Devices {
        /// Where handlers come and go between the senders and their device.
        let registry: HandlerRegistry
        /// The name of the device that senders use.
        let senderDevice: String
        /// Its port.
        let senderPort: Int
        /// The port of the device that plays.
        let witnessPort: Int
    }

    var description: String { self.rawValue }

    /// Runs the devices as long as `body` does.
    func run(
        farChannels: [ChannelConfiguration] = [Stage.echo, Stage.board], body: (Devices) async throws -> Void
    ) async throws {
        let stage = try Stage()
        switch self {
        case .local:
            try await RunningGateway.with(stage.far()) { gateway in
                let port = gateway.port(Stage.screen)
                try await body(
                    Devices(
                        registry: gateway.gateway.registry, senderDevice: Stage.screen, senderPort: port,
                        witnessPort: port))
            }
        case .relay:
            try await RunningGateway.with(stage.far(channels: farChannels)) { far in
                let witnessPort = far.port(Stage.screen)
                try await RunningGateway.with(stage.near(relayingTo: witnessPort)) { near in
                    try await body(
                        Devices(
                            registry: near.gateway.registry, senderDevice: Stage.lobby,
                            senderPort: near.port(Stage.lobby),
                            witnessPort: witnessPort))
                }
            }
        case .oneGateway:
            let screen = try await Stage.freePort()
            let lobby = try await Stage.freePort()
            try await RunningGateway.with(stage.both(screen: screen, lobby: lobby)) { gateway in
                #expect(gateway.port(Stage.screen) == screen)
                #expect(gateway.port(Stage.lobby) == lobby)
                try await body(
                    Devices(
                        registry: gateway.gateway.registry, senderDevice: Stage.lobby, senderPort: lobby,
                        witnessPort: screen))
            }
        }
    }

    /// Runs the devices, and a driver that uses them.
    func drive(_ script: String, body: (Driver) async throws -> Void) async throws {
        try await self.run { devices in
            try await Driver.run(script, senderPort: devices.senderPort, witnessPort: devices.witnessPort, body: body)
        }
    }
}
