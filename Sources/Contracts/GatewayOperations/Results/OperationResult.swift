package import CastWire

/// What an operation answers: a JSON object whose members are declared, so that documents say what comes and a test finds what
/// does not.
package struct OperationResult: Sendable {
    /// The HTTP status: 200, or 201 when something was made.
    package let status: Int
    /// What the answer is, in a few words.
    package let summary: String
    package let members: [Member]
    /// Whether others may be there too, which are not declared.
    package let isOpen: Bool

    package init(_ summary: String, status: Int = 200, isOpen: Bool = false, _ members: [Member]) {
        self.isOpen = isOpen
        self.status = status
        self.summary = summary
        self.members = members
    }

    /// What a value may be.
    package typealias Kind = JSONKind
    /// One member of an object.
    package typealias Member = JSONMember

    /// How many faults are told.
    private static let faultLimit = 100

    /// What of an answer is not as it is declared: JSON pointers with what is wrong there, of much the first 100.
    package func faults(of answer: JSONObject) -> [String] {
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
