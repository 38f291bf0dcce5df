import ArgumentParser
import GatewayLogging
import Glibc
import Synchronization

/// Gives words colours, or leaves them as they are.
struct Paint: Sendable, Equatable {
    /// What a word is, which decides its colour.
    enum Style: String, Sendable {
        /// What is wrong.
        case error = "1;31"
        /// What may be wrong.
        case warning = "1;33"
        /// What is as it should be.
        case good = "32"
        /// What points at something, or names it.
        case note = "36"
        /// What is not there at the moment.
        case faint = "2"
    }

    let isColoured: Bool

    /// Leaves every word as it is.
    static let plain = Paint(isColoured: false)

    /// A word in the colour of its style. The word has to be printable already.
    func callAsFunction(_ word: String, _ style: Style) -> String {
        self.isColoured && !word.isEmpty ? "\u{1B}[\(style.rawValue)m\(word)\u{1B}[0m" : word
    }

    /// What a command says of itself: its name, and words that are printable already.
    func message(_ words: String, _ style: Style = .error) -> String { "\(self("castway:", style)) \(words)\n" }
}

/// When text gets colours.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// On a terminal that knows them, unless `NO_COLOR` is set.
    case auto
    case always
    case never
}

/// `--color`, the same on every command.
struct ColourOption: ParsableArguments {
    private static let name = "color"

    @Option(
        name: .customLong(Self.name),
        help: .init(
            "When text has colours: auto, always, never; default: auto, on a terminal without NO_COLOR.",
            valueName: "when"))
    var given: ColourChoice?

    /// Takes what is given anywhere on the command line over for the whole process, before a command is found.
    /// - Returns: the arguments without it. What names no choice stays, for the command to judge.
    /// - Throws: `ValidationError` for a word that is no choice, before the command.
    static func take(from arguments: [String]) throws -> [String] {
        guard let option = ProcessOption("--\(Self.name)", in: arguments) else { return arguments }
        guard let choice = option.word.flatMap(ColourChoice.init(rawValue:)) else {
            guard option.place.lowerBound != 0 else { throw option.problem(known: ColourChoice.allCases) }
            return arguments
        }
        Terminal.choose(choice)
        return option.rest
    }
}

/// What standard output and standard error may show.
enum Terminal {
    private static let choice = Mutex(ColourChoice.auto)

    /// Has `--color` hold from now on.
    static func choose(_ choice: ColourChoice) { Self.choice.withLock { $0 = choice } }

    static var output: Paint { Self.paint(STDOUT_FILENO) }

    static var error: Paint { Self.paint(STDERR_FILENO) }

    /// Whether a person looks at standard error, on a terminal on which lines can be written anew.
    static var showsProgress: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessEnvironment.variables["TERM", default: "dumb"] != "dumb"
    }

    private static func paint(_ descriptor: Int32) -> Paint {
        switch Self.choice.withLock({ $0 }) {
        case .always: Paint(isColoured: true)
        case .never: .plain
        case .auto:
            Paint(
                isColoured: LoggingSetup.mayColour(
                    isTerminal: isatty(descriptor) == 1, environment: ProcessEnvironment.variables))
        }
    }
}

extension Paint {
    /// A report of problems in text form, with the severity of each and what points at its place in colours.
    func report(_ text: String) -> String {
        guard self.isColoured else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if let match = line.firstMatch(of: #/^(.*?:\d+:\d+: |[^ ]+: )(error|warning)(\[CW\d+\]:)/#) {
                let (_, place, severity, code) = match.output
                let word = self("\(severity)\(code)", severity == "error" ? .error : .warning)
                return "\(place)\(word)\(line[match.range.upperBound...])"
            }
            if let match = line.firstMatch(of: #/^( +\| +)(\^.*)$/#) {
                return "\(match.output.1)\(self(String(match.output.2), .note))"
            }
            return String(line)
        }.joined(separator: "\n")
    }
}
