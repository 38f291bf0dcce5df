package import CastWire
package import GatewayConfig

/// A key of what an operation of a plugin takes.
package struct PluginOperationKey: ConfigObject, Hashable {
    /// The kinds of values that the keys of built-in operations have.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A text without control characters.
        case text
        case word
        case integer
        case number
        case boolean
        /// The name of a device; callers that are limited to devices may name theirs.
        case device
        case app
        case json
    }

    /// The largest whole number that every program reads as it is (RFC 8259, 6).
    private static let largest = 9_007_199_254_740_991

    package var name = ""
    package var kind = Kind.json
    package var meaning = ""
    package var isRequired = false
    package var isList = false
    /// The value without the key; nil for none.
    package var fallback: JSONValue?
    /// The words of the type `word`.
    package var words: [String] = []
    /// The bounds of a number; nil for none.
    package var minimum: Double?
    /// See ``minimum``.
    package var maximum: Double?
    /// The most characters of a text.
    package var length = 1024
    /// A value as a caller would write it.
    package var example: String?

    package static let keys: [Key] = [
        .required("name", \.name, .operationWord, "Its name"),
        .required("type", \.kind, .word, "What it may be"),
        .required("meaning", \.meaning, .text(maximumBytes: 500), "What it means, without a full stop"),
        Key("required", \.isRequired, .boolean, "Whether it has to be there"),
        Key("list", \.isList, .boolean, "Whether it is a list of such values"),
        .optional("default", \.fallback, .json, "What holds without it"),
        Key("words", \.words, .list(of: .text(maximumBytes: 64)), "The words of the type `word`"),
        .optional("min", \.minimum, .number(-Double(Self.largest)...Double(Self.largest)), "The least number"),
        .optional("max", \.maximum, .number(-Double(Self.largest)...Double(Self.largest)), "The greatest number"),
        Key("max_length", \.length, .integer(1...65_536), "The most characters of the type `text`"),
        .optional("example", \.example, .text(maximumBytes: 200), "A value as a caller would write it"),
    ]

    package init(blank: ConfigBlank) {}

    /// Describes a key; what is not changed has the default of `plugin.yaml`.
    package init(_ name: String, _ kind: Kind, _ meaning: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
        change(&self)
    }

    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let values = ["type", "words", "min", "max", "max_length", "default", "required"]
        guard values.allSatisfy({ section.isValid($0) || !section.has($0) }) else { return }
        let key = Self(reading: section)
        func misplaced(_ name: String, _ types: String, _ isRight: Bool) {
            guard section.isWritten(name), !isRight else { return }
            problems.add(
                .inconsistent, at: section.location(name), "'\(section.path(name))' belongs to the type \(types)")
        }
        misplaced("words", "word", key.kind == .word)
        misplaced("min", "integer or number", [.integer, .number].contains(key.kind))
        misplaced("max", "integer or number", [.integer, .number].contains(key.kind))
        misplaced("max_length", "text", key.kind == .text)
        if key.kind == .word, key.words.isEmpty {
            problems.add(.missingKey, at: section.location("type"), "the type word needs 'words'")
        }
        if let least = key.minimum, let most = key.maximum, least > most {
            problems.add(
                .inconsistent, at: section.location("min"), "'\(section.path("min"))' is above 'max'")
            return
        }
        guard let fallback = key.fallback else { return }
        if key.isRequired {
            problems.add(
                .inconsistent, at: section.location("default"), "a key that has to be there needs no 'default'")
        }
        let field = ConfigField(key.name, key.schema, .required, "")
        let input = CheckedInput([key.name: fallback], schema: .object([field]))
        if let fault = input.faults.first {
            problems.add(
                .malformedValue, at: section.location("default"),
                "'\(section.path("default"))' is none of the type: \(fault.message)")
        }
    }

    /// The key as inputs are checked by it, and documents show it.
    var field: ConfigField {
        let presence: ConfigField.Presence =
            if self.isRequired {
                .required
            } else if let fallback {
                .defaultsTo(fallback.text)
            } else {
                .optional
            }
        return ConfigField(self.name, self.schema, presence, self.meaning, example: self.example)
    }

    private var schema: ConfigSchema { self.isList ? .list(of: self.element) : self.element }

    private var element: ConfigSchema {
        let least = self.minimum ?? -Double(Self.largest)
        let most = max(least, self.maximum ?? Double(Self.largest))
        return switch self.kind {
        case .text: .text(maximumBytes: self.length)
        case .word: ConfigSchema(.word(self.words))
        case .integer: .integer(Int(least.rounded(.up))...max(Int(least.rounded(.up)), Int(most.rounded(.down))))
        case .number: .number(least...most)
        case .boolean: .boolean
        case .device: .text(maximumBytes: 64)
        case .app: .appID
        case .json: .json
        }
    }
}
