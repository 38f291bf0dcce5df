import ArgumentParser

/// `castway route`
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "Shows which way messages take.", subcommands: [RouteExplainCommand.self])
}
