import ArgumentParser
import CastWire
import GatewayApp
import GatewayOperations
import Synchronization

/// The language that errors of devices and sessions are told in: that of `--language`, else that of the process.
enum MessageLanguage {
    private static let option = "--language"
    private static let chosen = Mutex<ErrorLanguage?>(nil)

    /// The language that holds.
    static var current: ErrorLanguage {
        self.chosen.withLock { $0 } ?? ErrorLanguage(environment: ProcessEnvironment.variables)
    }

    /// Takes what is given anywhere on the command line over for the whole process, before a command is found.
    /// - Returns: the arguments without it.
    /// - Throws: `ValidationError` for a language that there are no texts in.
    static func take(from arguments: [String]) throws -> [String] {
        let own = arguments.firstIndex(of: "--").map { arguments[..<$0] } ?? arguments[...]
        guard let index = own.firstIndex(where: { $0 == self.option || $0.hasPrefix(self.option + "=") }) else {
            return arguments
        }
        let isJoined = own[index] != self.option
        let word = isJoined ? String(own[index].dropFirst(self.option.count + 1)) : own.dropFirst(index + 1).first
        guard let language = word.flatMap({ ErrorLanguage(tag: $0) }) else {
            let known = ErrorLanguage.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(self.option) takes one of \(known).")
        }
        self.chosen.withLock { $0 = language }
        var rest = arguments
        rest.removeSubrange(index..<index + (isJoined ? 1 : 2))
        return rest
    }

    /// What a code means and, in brackets, what went wrong in English; what went wrong alone where the language is English.
    static func sentence(_ code: CastErrorCode, _ detail: String) -> String {
        guard self.current != .english, let text = self.current.text(of: code) else { return detail }
        return self.joined(text, detail)
    }

    /// A sentence of the gateway's with what went wrong in English.
    static func joined(_ text: String, _ detail: String) -> String { detail.isEmpty ? text : "\(text) (\(detail))" }
}
