import CastWire

extension JSONValue {
    /// True if this, of a transcript, is what a plugin said: members in any order, numbers by value, `"<any>"` for
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

enum UnixTime {
    /// Milliseconds since 1970 of `2026-01-05T17:00:00Z`, with or without a fraction of a second.
    static func milliseconds(_ text: String) -> Int? {
        let pattern = #/(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?Z/#
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        let parts = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int($0) }
        guard parts.count == 6, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else { return nil }
        // Days since 1970 in the Gregorian calendar, counted from March so that a leap day comes last.
        let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
        let month = (parts[1] + 9) % 12
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + parts[2] - 1 - 719_468
        let seconds = ((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]
        return seconds * 1000 + (match.7.flatMap { Int($0) } ?? 0)
    }
}
