public import GatewayConfig
internal import PluginHosting

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
    public static func load(
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
        }
        if !document.problems.hasErrors {
            let configuration = GatewayConfiguration(reading: document.root, pluginFolders: folders)
            HandlerCheck(configuration, document.root).check(&document.problems, file: .wholeFile(path))
        }
        let report = document.report()
        let configuration =
            report.hasErrors ? nil : GatewayConfiguration(reading: document.root, pluginFolders: folders)
        return GatewayConfigurationResult(configuration: configuration, document: document, report: report)
    }

    /// The JSON Schema (draft-07) of `gateway.yaml` for editors, as indented JSON text.
    public static func jsonSchema() -> String {
        Self.schema.jsonSchema(title: "gateway.yaml")
    }

    /// The reference of all keys of `gateway.yaml` in Markdown.
    public static func referenceMarkdown() -> String {
        Self.schema.referenceMarkdown(title: "gateway.yaml reference")
    }
}
