/// Values as media senders mean them, not only as they spell them (protocol notes, 6.2).
extension JSONValue {
    /// A whole number, also spelled as text (`"2"`), or nil.
    var lenientInt: Int? {
        switch self {
        case .number(let number): number.intValue
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// A number, also spelled as text; infinite beyond the range of a double, never not-a-number.
    var lenientDouble: Double? {
        let value: Double? =
            switch self {
            case .number(let number): number.doubleValue
            case .string(let text): Double(text)
            default: nil
            }
        guard let value, !value.isNaN else { return nil }
        return value
    }

    /// What JavaScript takes the value for; nil for `null`, which counts as absent.
    ///
    /// VLC sends `"false"` as text and means false, but receivers take it for true.
    var truth: Bool? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .number(let number): number.doubleValue != 0
        case .string(let text): !text.isEmpty
        case .array, .object: true
        }
    }
}
