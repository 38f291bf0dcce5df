import CastWire

extension JSONValue {
    /// A whole number, also spelled as text.
    var lenientWhole: Int? { self.intValue ?? self.stringValue.flatMap { Int($0) } }
}
