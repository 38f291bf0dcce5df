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

    /// How many faults are told.
    private static let faultLimit = 100

    /// What of an answer is not as it is declared: JSON pointers with what is wrong there, of much the first 100.
    public func faults(of answer: JSONObject) -> [String] {
        let declared = Set(self.members.map(\.name))
        let members = self.isOpen ? answer.members.filter { declared.contains($0.name) } : answer.members
        var faults: [String] = []
        Kind.object(self.members).check(
            .object(JSONObject(members.map { ($0.name, $0.value) })), at: "", &faults, limit: Self.faultLimit)
        return faults
    }
}

extension OperationResult.Kind {
    fileprivate func check(_ value: JSONValue, at pointer: String, _ faults: inout [String], limit: Int) {
        guard faults.count < limit else { return }
        switch (self, value) {
        case (.anything, _), (.text, .string), (.number, .number), (.boolean, .bool): return
        case (.integer, .number(let number)):
            if number.intValue == nil { faults.append("\(pointer) is no whole number") }
        case (.word(let words), .string(let text)):
            guard !words.contains(text) else { return }
            faults.append("\(pointer) is '\(text.prefix(64))', none of \(words.joined(separator: ", "))")
        case (.list(let kind), .array(let elements)):
            for (index, element) in elements.enumerated() where faults.count < limit {
                kind.check(element, at: "\(pointer)/\(index)", &faults, limit: limit)
            }
        case (.map(let kind), .object(let object)):
            for member in object.members where faults.count < limit {
                kind.check(member.value, at: "\(pointer)/\(member.name.prefix(64))", &faults, limit: limit)
            }
        case (.object(let members), .object(let object)):
            for member in object.members where faults.count < limit {
                let own = "\(pointer)/\(member.name.prefix(64))"
                if let known = members.first(where: { $0.name == member.name }) {
                    known.kind.check(member.value, at: own, &faults, limit: limit)
                } else {
                    faults.append("\(own) is not declared")
                }
            }
            for member in members where !member.isOptional && object[member.name] == nil && faults.count < limit {
                faults.append("\(pointer)/\(member.name) is missing")
            }
        default: faults.append("\(pointer) is of another type: \(value.text.prefix(64))")
        }
    }
}
