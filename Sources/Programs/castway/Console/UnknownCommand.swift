import ArgumentParser
import GatewayConfig

/// A word on the command line that is no command, and the command that was probably meant.
struct UnknownCommand {
    let word: String
    /// The commands around it: `castway config`.
    let parent: String
    /// The command that was probably meant, from `parent` on; nil when none is near.
    let suggestion: String?

    /// Finds the first word that stands where a command has to stand and is none; nil when there is no such word.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        self.init(in: arguments, of: root, isHelp: false)
    }

    /// Finds a word that help is asked for, as in `castway help cast laod`, and that is no command; nil when there is no such word.
    init?(inHelp arguments: [String], of root: any ParsableCommand.Type) {
        guard let place = arguments.firstIndex(of: Self.help), !arguments[..<place].contains("--") else { return nil }
        self.init(in: arguments, of: root, isHelp: true)
    }

    /// - Parameter isHelp: whether help is asked for: then a word is no argument of a command.
    private init?(in arguments: [String], of root: any ParsableCommand.Type, isHelp: Bool) {
        var asked = false
        var command = root
        var path = [Self.name(of: root)]
        for word in arguments {
            let children = command.configuration.subcommands
            if isHelp, word == Self.help, !children.isEmpty {
                asked = true
                continue
            }
            guard !children.isEmpty, asked || command.configuration.defaultSubcommand == nil, word != Self.help,
                !word.hasPrefix("-")
            else { return nil }
            guard let child = children.first(where: { Self.name(of: $0) == word }) else {
                guard asked || !isHelp else { return nil }
                self.word = word
                self.parent = path.joined(separator: " ")
                self.suggestion =
                    EditDistance.suggestion(for: word, among: children.map { Self.name(of: $0) }.sorted())
                    ?? Self.deeper(word, below: children)
                return
            }
            command = child
            path.append(Self.name(of: child))
        }
        return nil
    }

    private static let help = "help"

    var message: String {
        let end = self.suggestion.map { ": did you mean '\($0)'?" } ?? "; '\(self.parent) --help' lists them all"
        return "unknown command '\(self.word.printable)'\(end)"
    }

    /// The command of this very name below one of the others: `config explain` for `explain`.
    private static func deeper(_ word: String, below commands: [any ParsableCommand.Type]) -> String? {
        for command in commands where command.configuration.subcommands.contains(where: { Self.name(of: $0) == word }) {
            return "\(Self.name(of: command)) \(word)"
        }
        return nil
    }

    /// The name by which a command is called.
    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? command._commandName
    }
}
