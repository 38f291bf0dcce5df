import ControlAPI
import GatewayApp
import GatewayConfig
import NIOCore
import NIOHTTP1

/// Asks whether the gateway of a configuration runs.
struct RunningGatewayProbe: Sendable {
    /// Where to ask; nil when the admin listener is off.
    let address: ControlClient.Address?
    let timeout: Duration

    init(address: ControlClient.Address?, timeout: Duration) {
        self.address = address
        self.timeout = timeout
    }

    init(_ configuration: GatewayConfiguration, timeout: Duration) {
        self.timeout = timeout
        if case .tcp(let address) = configuration.admin.listen {
            self.address = .tcp(address)
        } else {
            self.address = configuration.admin.listen.socketPath(stateDirectory: configuration.gateway.stateDirectory)
                .map(ControlClient.Address.socket)
        }
    }

    /// True when it answers, whatever it says of its health.
    func answers() async -> Bool {
        guard let address else { return false }
        let client = ControlClient(address: address)
        let reply = try? await client.send(.GET, "/livez", timeout: TimeAmount(self.timeout))
        return reply != nil
    }
}
