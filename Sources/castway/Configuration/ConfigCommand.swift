import ArgumentParser

/// `castway config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Shows what a configuration says and what it may say.",
        subcommands: [
            ConfigPrintCommand.self, ConfigSchemaCommand.self, ConfigReferenceCommand.self, ConfigExplainCommand.self,
        ])
}
