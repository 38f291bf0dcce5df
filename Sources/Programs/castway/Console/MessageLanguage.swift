import CastWire
import GatewayOperations
import SystemPrimitives

/// The language that errors of devices and sessions are told in: that of `--language`, else that of the process.
enum MessageLanguage {
    private static let chosen = Current<ErrorLanguage?>(nil)

    static var current: ErrorLanguage {
        self.chosen.value ?? ErrorLanguage(environment: ProcessEnvironment.variables)
    }

    /// Takes what is given anywhere on the command line over for the whole process, before a command is found.
    /// - Returns: the arguments without it.
    /// - Throws: `ValidationError` for a language that there are no texts in.
    static func take(from arguments: [String]) throws -> [String] {
        guard let option = ProcessOption("--language", in: arguments) else { return arguments }
        guard let language = option.word.flatMap({ ErrorLanguage(tag: $0) }) else {
            throw option.problem(known: ErrorLanguage.allCases)
        }
        self.chosen.set(language)
        return option.rest
    }

    /// What a code means and, in brackets, what went wrong in English; what went wrong alone where the language is English.
    static func sentence(_ code: CastErrorCode, _ detail: String) -> String {
        guard self.current != .english, let text = self.current.text(of: code) else { return detail }
        return self.joined(text, detail)
    }

    /// A sentence of the gateway's with what went wrong in English.
    static func joined(_ text: String, _ detail: String) -> String { detail.isEmpty ? text : "\(text) (\(detail))" }
}
