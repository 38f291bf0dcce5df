import ArgumentParser

/// The configuration of a command that takes no other argument: `castway check gateway.yaml`, or `--config gateway.yaml`.
struct ConfigPathOption: ParsableArguments {
    @Argument(help: "The configuration, as --config.")
    var file: String?

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
