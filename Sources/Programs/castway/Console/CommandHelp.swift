import ArgumentParser

extension CommandConfiguration {
    /// A command with its help.
    /// - Parameters:
    ///   - discussion: shown below the abstract.
    ///   - examples: command lines, shown last.
    ///   - subcommands: the commands of a noun.
    init(
        _ name: String, _ abstract: String, _ discussion: String = "", examples: [String] = [],
        subcommands: [any ParsableCommand.Type] = []
    ) {
        let lines = [examples.count == 1 ? "Example:" : "Examples:"] + examples.map { "  \($0)" }
        let parts = [discussion, examples.isEmpty ? "" : lines.joined(separator: "\n")]
        self.init(
            commandName: name, abstract: abstract,
            discussion: parts.filter { !$0.isEmpty }.joined(separator: "\n\n"), subcommands: subcommands)
    }
}
