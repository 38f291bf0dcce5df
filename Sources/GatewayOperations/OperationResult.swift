public import CastWire

/// What an operation answers: a JSON object whose members are declared, so that documents say what comes and a test finds what
/// does not.
public struct OperationResult: Sendable {
    /// The HTTP status: 200, or 201 when something was made.
    public let status: Int
    /// What the answer is, in a few words.
    public let summary: String
    /// Its members.
    public let members: [Member]
    /// Whether others may be there too, which are not declared.
    public let isOpen: Bool

    /// Describes an answer.
    public init(_ summary: String, status: Int = 200, isOpen: Bool = false, _ members: [Member]) {
        self.isOpen = isOpen
        self.status = status
        self.summary = summary
        self.members = members
    }

    /// What a value may be.
    public indirect enum Kind: Sendable {
        /// A text.
        case text
        /// One of these texts.
        case word([String])
        /// A whole number.
        case integer
        /// A number.
        case number
        /// `true` or `false`.
        case boolean
        /// An object with these members and no others.
        case object([Member])
        /// An object with any names, whose values are of one kind.
        case map(Kind)
        /// A list.
        case list(Kind)
        /// Anything that JSON can express.
        case anything
    }

    /// One member of an object.
    public struct Member: Sendable {
        /// Its name.
        public let name: String
        /// What its value may be.
        public let kind: Kind
        /// What it means, in one or two sentences without a full stop at the end.
        public let meaning: String
        /// Whether it may be missing.
        public let isOptional: Bool

        /// A member that is always there.
        public init(_ name: String, _ kind: Kind, _ meaning: String) {
            self.init(name, kind, meaning, isOptional: false)
        }

        private init(_ name: String, _ kind: Kind, _ meaning: String, isOptional: Bool) {
            self.name = name
            self.kind = kind
            self.meaning = meaning
            self.isOptional = isOptional
        }

        /// A member that may be missing; the meaning says when.
        public static func optional(_ name: String, _ kind: Kind, _ meaning: String) -> Member {
            Member(name, kind, meaning, isOptional: true)
        }
    }

    /// What of an answer is not as it is declared: JSON pointers with what is wrong there.
    public func faults(of answer: JSONObject) -> [String] {
        let declared = Set(self.members.map(\.name))
        let members = self.isOpen ? answer.members.filter { declared.contains($0.name) } : answer.members
        return Kind.object(self.members).faults(
            of: .object(JSONObject(members.map { ($0.name, $0.value) })), at: "")
    }
}

extension OperationResult.Kind {
    fileprivate func faults(of value: JSONValue, at pointer: String) -> [String] {
        switch (self, value) {
        case (.anything, _), (.text, .string), (.number, .number), (.boolean, .bool): []
        case (.integer, .number(let number)): number.intValue == nil ? ["\(pointer) is no whole number"] : []
        case (.word(let words), .string(let text)):
            words.contains(text) ? [] : ["\(pointer) is '\(text)', none of \(words.joined(separator: ", "))"]
        case (.list(let kind), .array(let elements)):
            elements.enumerated().flatMap { kind.faults(of: $1, at: "\(pointer)/\($0)") }
        case (.map(let kind), .object(let object)):
            object.members.flatMap { kind.faults(of: $0.value, at: "\(pointer)/\($0.name)") }
        case (.object(let members), .object(let object)):
            object.members.flatMap { member in
                members.first { $0.name == member.name }?.kind.faults(of: member.value, at: "\(pointer)/\(member.name)")
                    ?? ["\(pointer)/\(member.name) is not declared"]
            } + members.filter { !$0.isOptional && object[$0.name] == nil }.map { "\(pointer)/\($0.name) is missing" }
        default: ["\(pointer) is of another type: \(value.text)"]
        }
    }
}
