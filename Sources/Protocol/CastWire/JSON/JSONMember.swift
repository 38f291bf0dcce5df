/// One member of a JSON object that the gateway writes, as documents have it: of an operation's answer, or of an event.
package struct JSONMember: Sendable {
    package let name: String
    /// What its value may be.
    package let kind: JSONKind
    /// What it means, in one or two sentences without a full stop at the end.
    package let meaning: String
    /// Whether it may be missing.
    package let isOptional: Bool

    /// A member that is always there.
    package init(_ name: String, _ kind: JSONKind, _ meaning: String) {
        self.init(name, kind, meaning, isOptional: false)
    }

    package init(_ name: String, _ kind: JSONKind, _ meaning: String, isOptional: Bool) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
        self.isOptional = isOptional
    }

    /// A member that may be missing; the meaning says when.
    package static func optional(_ name: String, _ kind: JSONKind, _ meaning: String) -> JSONMember {
        JSONMember(name, kind, meaning, isOptional: true)
    }
}

/// What a JSON value may be.
package indirect enum JSONKind: Sendable {
    case text
    /// One of these texts.
    case word([String])
    /// A whole number.
    case integer
    case number
    /// `true` or `false`.
    case boolean
    /// An object with these members and no others.
    case object([JSONMember])
    /// An object with any names, whose values are of one kind.
    case map(JSONKind)
    case list(JSONKind)
    /// Anything that JSON can express.
    case anything
}
