import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import NIOCore
import NIOPosix
import Testing
import VirtualDevices

/// A gateway with a hall that plays, and with foyers that relay to it as to a device elsewhere.
struct ReloadBench {
    static let anywhere = ListenAddress(host: "127.0.0.1", port: 0)

    let running: RunningGateway
    /// What runs, to be changed and given to ``reload(_:)``.
    var configuration: GatewayConfiguration

    /// Runs a gateway with the hall in it, and beside it one whose `foyer` relays to the hall.
    static func with(_ body: (_ hall: RunningGateway, _ bench: ReloadBench) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            try await RunningGateway.with(Self.configuration(relayingTo: hall)) { running in
                try await body(hall, ReloadBench(running: running, configuration: running.gateway.configuration))
            }
        }
    }

    private static func configuration(relayingTo hall: RunningGateway) -> GatewayConfiguration {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.discovery.staticDevices = [
            StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
        ]
        configuration.virtualDevices.append(
            VirtualDeviceConfiguration(name: "foyer", listen: Self.anywhere, target: .device("wall")))
        return configuration
    }

    /// The position of a virtual device in the configuration.
    func index(_ device: String) throws -> Int {
        try #require(self.configuration.virtualDevices.firstIndex { $0.name == device })
    }

    /// Puts the configuration in force, and expects that this works.
    @discardableResult
    func reload(_ change: (inout GatewayConfiguration) -> Void = { _ in }) async throws -> ReloadPlan {
        var configuration = self.configuration
        change(&configuration)
        return try await self.running.gateway.reload(to: configuration).get()
    }

    /// True when nothing listens on a port.
    static func isRefused(_ port: Int) async -> Bool {
        let connect = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port)
        guard let channel = try? await connect.get() else { return true }
        try? await channel.close()
        return false
    }

    /// The port on which a virtual device listens now.
    func port(_ device: String) throws -> Int {
        try #require(self.running.gateway.endpoints.first { $0.name == device }?.castPort)
    }
}
