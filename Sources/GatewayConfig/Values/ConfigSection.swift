/// A checked mapping with known keys, from which a feature reads its typed configuration.
///
/// Required keys and keys with a default always have a value, so reading cannot fail. While problems are still being
/// collected a value may be invalid: then the accessors return something empty, and ``isValid(_:)`` tells.
public struct ConfigSection: Sendable {
    struct Entry: Sendable {
        var field: ConfigField
        var value: ConfigValue
    }

    /// The dotted name for messages: `virtual_devices[].volume`; empty for the whole file.
    public let path: String
    /// Where the section stands.
    public let location: ConfigLocation
    /// The values in the order of the schema.
    let entries: [Entry]

    /// Makes a section; only the validator does.
    init(path: String, location: ConfigLocation, entries: [Entry]) {
        self.path = path
        self.location = location
        self.entries = entries
    }

    /// The value of a key; nil when an optional key is not written.
    public func value(_ name: String) -> ConfigValue? {
        self.entries.first { $0.field.name == name }?.value
    }

    /// Whether a key has a value, written or by default.
    public func has(_ name: String) -> Bool { self.value(name) != nil }

    /// Whether a key is written in a file, rather than left to its default.
    public func isWritten(_ name: String) -> Bool {
        if let value = self.value(name), value.isValid { value.origin != .default } else { false }
    }

    /// Whether the value of a key can be relied on: it is there and could be read.
    public func isValid(_ name: String) -> Bool { self.value(name)?.isValid ?? false }

    /// Where the value of a key came from; `default` when there is none.
    public func origin(_ name: String) -> ConfigOrigin { self.value(name)?.origin ?? .default }

    /// Where to point for a key: at its value, or at the section when it is not written.
    public func location(_ name: String) -> ConfigLocation { self.value(name)?.location ?? self.location }

    /// The name of a key for messages, with the section's path before it.
    public func path(_ name: String) -> String { self.path.isEmpty ? name : "\(self.path).\(name)" }
}
