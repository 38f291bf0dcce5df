import ArgumentParser

/// `--config`, for commands that read a configuration and take other arguments.
struct ConfigOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The configuration; default: $CASTWAY_CONFIG, else gateway.yaml.", valueName: "file"))
    var config: String?

    /// The file to read.
    var path: String { ConfigurationFile.path(self.config) }
}
