import ControlAPI
package import GatewayConfig
import GatewayLogging
package import Logging
import PluginHosting
import SystemPrimitives

extension GatewayConfiguration {
    /// Reads, checks and types `gateway.yaml` with all it includes.
    ///
    /// Whatever the start of the gateway would refuse on grounds of the configuration and the files that it names is found
    /// here, by the code that the start runs.
    ///
    /// Never throws: whatever is wrong is in the result's report, every problem at once.
    ///
    /// - Parameters:
    ///   - path: The file, as it is to be shown in messages.
    ///   - fileSystem: Where files come from.
    ///   - environment: The variables that `${…}` may refer to.
    ///   - machine: The addresses under which the machine reaches itself, for loops of relays.
    ///   - now: Seconds since 1970, for certificates.
    package static func load(
        path: String,
        fileSystem: ConfigFileSystem = .disk,
        environment: [String: String],
        machine: MachineAddresses = .current,
        now: Int64 = WallClock.secondsSince1970
    ) -> GatewayConfigurationResult {
        var document = ConfigDocument.load(
            path: path,
            schema: Self.schema,
            fileSystem: fileSystem,
            environment: environment
        )
        var folders = PluginFolders()
        if document.isComplete {
            folders = PluginFolders.load(
                for: document.root.section("plugins"), into: &document, fileSystem: fileSystem)
            Self.check(document.root, folders: folders, machine: machine, problems: &document.problems)
            CertificateFileCheck(fileSystem: fileSystem, now: now).check(document.root, &document.problems)
            LogFileCheck().check(document.root.section("log"), &document.problems)
            APITokenConfiguration.checkTimes(document.root.section("api"), now: now, problems: &document.problems)
        }
        if !document.problems.hasErrors {
            let configuration = GatewayConfiguration(reading: document.root, pluginFolders: folders)
            HandlerCheck(configuration, document.root).check(&document.problems, file: .wholeFile(path))
        }
        let report = document.report()
        let configuration =
            report.hasErrors ? nil : GatewayConfiguration(reading: document.root, pluginFolders: folders)
        document.leaveOutDefaults(inEach: "virtual_devices") { PassthroughCheck.keysWithoutMeaning(in: $0) }
        return GatewayConfigurationResult(configuration: configuration, document: document, report: report)
    }

    /// The JSON Schema (draft-07) of `gateway.yaml` for editors, as indented JSON text.
    /// - Parameter included: whether it is for files that `gateway.yaml` includes, which need no `version`.
    package static func jsonSchema(included: Bool = false) -> String {
        Self.schema.jsonSchema(title: included ? "a file that gateway.yaml includes" : "gateway.yaml", isPart: included)
    }

    /// The reference of all keys of `gateway.yaml` in Markdown.
    package static func referenceMarkdown() -> String {
        Self.schema.referenceMarkdown(title: "gateway.yaml reference")
    }
}

/// What came of reading `gateway.yaml`.
package struct GatewayConfigurationResult: Sendable {
    /// The typed configuration; nil when there is any error.
    package var configuration: GatewayConfiguration?
    /// The checked tree with the origin of every value, for `castway config print`.
    package let document: ConfigDocument
    /// What is wrong, sorted, with the lines it is about.
    package let report: ConfigReport

    /// The problems of the report.
    package var problems: [ConfigProblem] { self.report.problems }

    /// Logs the warnings of the report, a line each.
    package func logWarnings(to logger: Logger) {
        for problem in self.problems where problem.severity == .warning {
            var metadata: Logger.Metadata = ["code": "\(problem.code.rawValue)", "at": "\(problem.location)"]
            if let hint = problem.hint { metadata["hint"] = "\(hint)" }
            logger.warning("The configuration: \(problem.message)", metadata: metadata)
        }
    }
}

/// Where a gateway reads its configuration anew.
package struct ConfigurationSource: Sendable {
    /// Reads and checks the file.
    package let load: @Sendable () -> GatewayConfigurationResult

    /// - Parameter load: called off the event loops, for every reload; blocks while it reads.
    package init(load: @escaping @Sendable () -> GatewayConfigurationResult) {
        self.load = load
    }
}
