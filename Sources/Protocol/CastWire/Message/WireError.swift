/// Why bytes from a peer could not be understood. Every case ends the connection.
public enum WireError: Error, Hashable, Sendable {
    /// The header promises more than a message may hold (64 KiB; protocol notes, 2.1).
    case frameTooLarge(declared: Int, limit: Int)
    /// The bytes end inside a field.
    case truncatedMessage
    /// A tag, a variable-length number or a group is malformed.
    case malformedField(number: Int)
    /// A required field is absent (proto2 rules; protocol notes, 2.2).
    case missingField(number: Int)
    /// A field that must name something is empty.
    case emptyField(number: Int)
    /// A text field is not valid UTF-8.
    case invalidText(number: Int)
    /// A field holds a value outside its enumeration.
    case invalidValue(number: Int, value: UInt64)

    /// A label without values, fit for a metric.
    public var label: String {
        switch self {
        case .frameTooLarge: "frame_too_large"
        case .truncatedMessage: "truncated_message"
        case .malformedField: "malformed_field"
        case .missingField: "missing_field"
        case .emptyField: "empty_field"
        case .invalidText: "invalid_text"
        case .invalidValue: "invalid_value"
        }
    }
}

extension WireError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .frameTooLarge(let declared, let limit): "a frame of \(declared) bytes, above the limit of \(limit)"
        case .truncatedMessage: "a message that ends inside a field"
        case .malformedField(let number): "a malformed field \(number)"
        case .missingField(let number): "a message without its required field \(number)"
        case .emptyField(let number): "an empty field \(number)"
        case .invalidText(let number): "a field \(number) that is not UTF-8"
        case .invalidValue(let number, let value): "a field \(number) with the unknown value \(value)"
        }
    }
}
