import CastIdentity
import GatewayApp
import GatewayConfig
import GatewaySettings

/// The gateways that run on this machine, as far as this user can see them.
struct RunningGateways {
    let gateways: [RunRecord]

    static func found() -> RunningGateways {
        RunningGateways(gateways: RunRegistry(environment: ProcessEnvironment.variables).gateways)
    }

    /// The one that was started with a file; nil when there is none, or several.
    func started(with path: String) -> RunRecord? {
        let path = RunningPath.absolute(path)
        let own = self.gateways.filter { $0.configuration == path }
        return own.count == 1 ? own[0] : nil
    }

    /// How to reach those that run instead of one that does not; empty when none does.
    var hint: String {
        guard !self.gateways.isEmpty else { return "" }
        let ways = self.gateways.map { "--config \($0.configuration) for \($0.summary)" }
        return "; what runs: " + ways.joined(separator: ", ")
    }
}

/// A configuration for commands that look at its state: with the state directory of the gateway that runs with it.
enum LiveConfiguration {
    /// Reads a file. Where the gateway that runs with it keeps its state elsewhere, as `CASTWAY_STATE_DIR` of its service
    /// may say, that holds, and standard error says which gateway it is.
    /// - Throws: ``CommandFailure`` when there is any error.
    static func read(_ path: String) throws -> GatewayConfiguration {
        var configuration = try ConfigurationFile.configuration(path)
        if let gateway = RunningGateways.found().started(with: path) {
            configuration.gateway.stateDirectory = gateway.stateDirectory
            StandardError.write(
                "castway: the state of \(gateway.summary.printable), in \(gateway.stateDirectory.printable)\n")
        }
        return configuration
    }
}
