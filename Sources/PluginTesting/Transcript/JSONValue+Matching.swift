import CastWire

extension JSONValue {
    /// Whether this, of a transcript, is what a plugin said: members in any order, numbers by value, `"<any>"` for
    /// anything, and a payload as text or as the JSON that the text holds.
    func matches(_ said: JSONValue, isPayload: Bool = false) -> Bool {
        if self == .string("<any>") { return true }
        switch (self, said) {
        case (.object(let expected), .object(let said)):
            let names = Set(expected.members.map(\.name))
            guard names == Set(said.members.map(\.name)) else { return false }
            return names.allSatisfy { name in
                guard let left = expected[name], let right = said[name] else { return false }
                return left.matches(right, isPayload: name == "payload")
            }
        case (.array(let expected), .array(let said)):
            return expected.count == said.count && zip(expected, said).allSatisfy { $0.matches($1) }
        case (.number(let expected), .number(let said)):
            return expected == said || expected.doubleValue == said.doubleValue
        case (.string(let expected), .string(let said)) where isPayload && expected != said:
            guard let left = Self.held(in: expected), let right = Self.held(in: said) else { return false }
            return left.matches(right)
        case (.string(let text), _) where isPayload && said.stringValue == nil:
            return Self.held(in: text)?.matches(said) ?? false
        case (_, .string(let text)) where isPayload && self.stringValue == nil:
            return Self.held(in: text).map { self.matches($0) } ?? false
        default: return self == said
        }
    }

    private static func held(in text: String) -> JSONValue? { try? JSONReader.read(text) }
}
