import ArgumentParser
import GatewayConfig
import GatewaySettings
import Glibc

/// Finds and reads `gateway.yaml` for the commands.
enum ConfigurationFile {
    /// The file to read: the one that is named, else `CASTWAY_CONFIG`, else `gateway.yaml`.
    static func path(_ named: String?) -> String {
        if let named { return named }
        let variable = ProcessEnvironment.variables["CASTWAY_CONFIG"] ?? ""
        return variable.isEmpty ? "gateway.yaml" : variable
    }

    /// Where systemd has put the credentials of `castway.service` while it runs. Root alone may look there from outside.
    private static let credentials = "/run/credentials/castway.service"

    /// Reads and checks a file. Root reads it beside the service with the credentials of the service, unless the environment says
    /// otherwise.
    static func load(_ path: String) -> GatewayConfigurationResult {
        var environment = ProcessEnvironment.variables
        if environment["CREDENTIALS_DIRECTORY"] == nil, geteuid() == 0, access(Self.credentials, X_OK) == 0 {
            environment["CREDENTIALS_DIRECTORY"] = Self.credentials
        }
        return GatewayConfiguration.load(path: path, environment: environment)
    }

    /// The configuration of a file; problems are printed on standard error.
    /// - Throws: ``CommandFailure`` when there is any error.
    static func configuration(_ path: String) throws -> GatewayConfiguration {
        let result = Self.load(path)
        StandardError.write(Terminal.error.report(result.report.text()))
        guard let configuration = result.configuration else { throw CommandFailure(.configurationInvalid) }
        return configuration
    }
}

/// `--config`, for commands that read a configuration and take other arguments.
struct ConfigOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: .init("The configuration; default: $CASTWAY_CONFIG, else gateway.yaml.", valueName: "file"),
        completion: .file())
    var config: String?

    /// The file to read.
    var path: String { ConfigurationFile.path(self.config) }
}

/// The configuration of a command that takes no other argument: `castway check gateway.yaml`, or `--config gateway.yaml`.
struct ConfigPathOption: ParsableArguments {
    @Argument(help: "The configuration, as --config.", completion: .file()) var file: String?
    @OptionGroup var option: ConfigOption

    func validate() throws {
        if let file, let config = self.option.config, file != config {
            throw ValidationError("Two configurations are given: '\(file)' and --config '\(config)'.")
        }
    }

    /// The file that is named; nil when none is.
    var named: String? { self.file ?? self.option.config }

    /// The file to read.
    var path: String { ConfigurationFile.path(self.named) }
}
