import GatewayApp
import GatewayConfig

/// Finds and reads `gateway.yaml` for the commands.
enum ConfigurationFile {
    /// The file to read: the one that is named, else `CASTWAY_CONFIG`, else `gateway.yaml`.
    static func path(_ named: String?) -> String {
        if let named { return named }
        let variable = ProcessEnvironment.variables["CASTWAY_CONFIG"] ?? ""
        return variable.isEmpty ? "gateway.yaml" : variable
    }

    /// Reads and checks a file.
    static func load(_ path: String) -> GatewayConfigurationResult {
        GatewayConfiguration.load(path: path, environment: ProcessEnvironment.variables)
    }

    /// The configuration of a file; problems are printed on standard error.
    /// - Throws: ``CommandFailure`` when there is any error.
    static func configuration(_ path: String) throws -> GatewayConfiguration {
        let result = Self.load(path)
        StandardError.write(result.report.text())
        guard let configuration = result.configuration else { throw CommandFailure(.configurationInvalid) }
        return configuration
    }
}
