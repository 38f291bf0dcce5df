import Foundation

/// The commands of `castway` with their options, as the program describes itself.
struct CommandTree: Decodable {
    private struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let names: [Name]?
    }

    private let commandName: String
    private let arguments: [Argument]?
    private let subcommands: [CommandTree]?

    private struct Dump: Decodable {
        let command: CommandTree
    }

    static func read() async throws -> CommandTree {
        let dump = try await CastwayProcess.run("--experimental-dump-help")
        return try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
    }

    private var options: Set<String> {
        Set((self.arguments ?? []).flatMap { $0.names ?? [] }.map { ($0.kind == "long" ? "--" : "-") + $0.name })
    }

    /// The first word of a command line that is no command, or no option of its command; nil when all are.
    func firstUnknown(in words: [String]) -> String? {
        var node = self
        var options = self.options.union(["--help", "-h"])
        for word in words {
            if let next = node.subcommands?.first(where: { $0.commandName == word }) {
                node = next
                options.formUnion(next.options)
            } else if word.contains(/^--?[a-z]/) {
                let name = word.split(separator: "=").first.map(String.init) ?? word
                if !options.contains(name) { return word }
            } else if node.subcommands?.isEmpty == false, node.commandName != "cast", word.contains(/^[a-z-]+$/) {
                // The address of a device may come before the command of `cast`.
                return word
            }
        }
        return nil
    }
}
