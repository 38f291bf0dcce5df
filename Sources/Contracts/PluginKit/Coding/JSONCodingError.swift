/// Why JSON is not the type that was asked for, or a value cannot be written as JSON.
public struct JSONCodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, as a JSON pointer (RFC 6901): `/questions/0/title`; empty for the whole.
    public let pointer: String
    /// What is wrong, for people.
    public let reason: String

    init(_ path: [any CodingKey], _ reason: String) {
        self.pointer = path.map { key in
            let name = key.intValue.map(String.init) ?? key.stringValue
            return "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
        }.joined()
        self.reason = reason
    }

    /// What any error of decoding or encoding says.
    init(_ error: any Error) {
        switch error {
        case let error as JSONCodingError: self = error
        case DecodingError.typeMismatch(_, let context): self.init(context.codingPath, context.debugDescription)
        case DecodingError.valueNotFound(_, let context): self.init(context.codingPath, context.debugDescription)
        case DecodingError.keyNotFound(let key, let context): self.init(context.codingPath + [key], "is missing")
        case DecodingError.dataCorrupted(let context): self.init(context.codingPath, context.debugDescription)
        case EncodingError.invalidValue(_, let context): self.init(context.codingPath, context.debugDescription)
        default: self.init([], "\(error)")
        }
    }

    /// Place and reason.
    public var description: String { self.pointer.isEmpty ? self.reason : "\(self.pointer): \(self.reason)" }
}

/// The name or the index under which a value stands.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = String(intValue)
        self.intValue = intValue
    }
}
