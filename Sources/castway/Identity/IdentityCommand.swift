import ArgumentParser

/// `castway identity`
struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Shows who the virtual devices are: their ids, and the root certificate that vouches for them.",
        subcommands: [IdentityShowCommand.self, IdentityExportRootCommand.self])
}
