/// One key of a mapping with its value.
public struct ConfigEntry: Sendable, Equatable {
    /// The key's text.
    public var key: String
    /// Where the key stands.
    public var keyLocation: ConfigLocation
    /// The value.
    public var value: ConfigNode

    /// Makes an entry.
    public init(key: String, keyLocation: ConfigLocation, value: ConfigNode) {
        self.key = key
        self.keyLocation = keyLocation
        self.value = value
    }

    /// Whether the entry is a note: keys that start with `x-` are allowed everywhere and mean nothing.
    public var isNote: Bool { self.key.hasPrefix("x-") }
}
