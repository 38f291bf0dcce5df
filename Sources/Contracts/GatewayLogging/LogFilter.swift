import GatewayConfig
import Logging

/// Which records are written, after the level of their component has let them through.
struct LogFilter: Sendable {
    private struct Pattern {
        let expression: MessagePattern
        let isExcluding: Bool
    }

    private let functions: [LogFunctionRule]
    private let patterns: [Pattern]
    private let hasIncluding: Bool

    init(_ configuration: LogConfiguration) {
        self.functions = configuration.functions
        self.patterns = configuration.patterns.compactMap { pattern in
            // What does not compile is refused with the configuration.
            guard let expression = try? MessagePattern(pattern.regex, ignoresCase: pattern.ignoresCase) else {
                return nil
            }
            return Pattern(expression: expression, isExcluding: pattern.isExcluding)
        }
        self.hasIncluding = self.patterns.contains { !$0.isExcluding }
    }

    /// Whether a record is written.
    /// - Parameters:
    ///   - level: that of its component, for functions that no rule names; nil for a logger that has a level of its own, which it keeps.
    func admits(_ event: LogEvent, level: LogConfiguration.Level?) -> Bool {
        if let least = self.level(of: event) ?? level, !least.admits(event.level) { return false }
        guard !self.patterns.isEmpty else { return true }
        let message = event.message.description
        var isNamed = !self.hasIncluding
        for pattern in self.patterns where pattern.isExcluding || !isNamed {
            guard pattern.expression.matches(message) else { continue }
            if pattern.isExcluding { return false }
            isNamed = true
        }
        return isNamed
    }

    /// The level of a function that a rule names.
    private func level(of event: LogEvent) -> LogConfiguration.Level? {
        guard !self.functions.isEmpty else { return nil }
        let names = LogOrigin.names(function: event.function, file: event.file)
        return self.functions.first { names.contains(where: $0.functions.matches) }?.level
    }
}

/// Where in the sources a record was made.
struct LogOrigin: Sendable, Equatable {
    /// `apply(_:)`
    let function: String
    /// The type and the line; methods of an extension in a file of its own are those of `Class(Extension)`: `CastSession(Reload):88`.
    let location: String

    init(_ event: LogEvent) {
        self.function = event.function
        self.location = "\(Self.type(inFile: event.file)):\(event.line)"
    }

    /// `CastSession(Reload)` of `DeviceSessions/CastSession+Reload.swift`.
    static func type(inFile file: String) -> String {
        var name = file.split(separator: "/").last.map(String.init) ?? file
        if name.hasSuffix(".swift") { name.removeLast(6) }
        guard let plus = name.firstIndex(of: "+") else { return name }
        return "\(name[..<plus])(\(name[name.index(after: plus)...]))"
    }

    /// The names by which `log.functions` may mean a function: with and without arguments, and with its type before it.
    static func names(function: String, file: String) -> [String] {
        let type = Self.type(inFile: file)
        let bare = function.prefix { $0 != "(" }
        let types = [type, String(type.prefix { $0 != "(" })]
        return [function, String(bare)] + types.flatMap { ["\($0).\(function)", "\($0).\(bare)"] }
    }
}
