/// Named JSON values in their order. Made for messages, so a look-up is a short walk and no hash.
///
/// Of a name that stands twice the last value counts, and writing keeps both, as it was read.
public struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// Names and values in their order.
    public private(set) var members: [(name: String, value: JSONValue)]

    /// Makes an object from names and values.
    public init(_ members: [(String, JSONValue)] = []) {
        self.members = members.map { (name: $0.0, value: $0.1) }
    }

    /// Makes an object from a literal, in its order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }

    /// Takes what the reader collected.
    init(parsed members: [(name: String, value: JSONValue)]) {
        self.members = members
    }

    /// The value of a name; nil when absent. Setting replaces in place or appends, setting nil removes every value of the name.
    public subscript(name: String) -> JSONValue? {
        get { self.members.last { $0.name == name }?.value }
        set {
            if let newValue {
                if let index = self.members.lastIndex(where: { $0.name == name }) {
                    self.members[index].value = newValue
                } else {
                    self.members.append((name: name, value: newValue))
                }
            } else {
                self.members.removeAll { $0.name == name }
            }
        }
    }

    /// The text under a name, or nil when absent or of another kind.
    public func string(_ name: String) -> String? { self[name]?.stringValue }
    /// The whole number under a name, or nil when absent or of another kind.
    public func int(_ name: String) -> Int? { self[name]?.intValue }
    /// The number under a name, or nil when absent or of another kind.
    public func double(_ name: String) -> Double? { self[name]?.doubleValue }
    /// The truth value under a name, or nil when absent or of another kind.
    public func bool(_ name: String) -> Bool? { self[name]?.boolValue }
    /// The list under a name, or nil when absent or of another kind.
    public func array(_ name: String) -> [JSONValue]? { self[name]?.arrayValue }
    /// The object under a name, or nil when absent or of another kind.
    public func object(_ name: String) -> JSONObject? { self[name]?.objectValue }

    /// True without any member.
    public var isEmpty: Bool { self.members.isEmpty }

    /// Whether another object means the same: see ``JSONValue/isEquivalent(to:)``.
    public func isEquivalent(to other: JSONObject) -> Bool {
        let (own, others) = (self.byName, other.byName)
        return own.count == others.count
            && own.allSatisfy { name, value in others[name].map { value.isEquivalent(to: $0) } ?? false }
    }

    private var byName: [String: JSONValue] {
        Dictionary(self.members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// Two objects are equal when their members are, in the same order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count
            && zip(left.members, right.members).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    }

    /// Hashes every member in order.
    public func hash(into hasher: inout Hasher) {
        for member in self.members {
            hasher.combine(member.name)
            hasher.combine(member.value)
        }
    }
}
