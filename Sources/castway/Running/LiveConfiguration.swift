import CastIdentity
import GatewayApp
import GatewayConfig

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
