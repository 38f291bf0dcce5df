package import CastWire

/// A checked mapping with known keys, from which a feature reads its typed configuration.
///
/// Required keys and keys with a default always have a value, so reading cannot fail. While problems are still being
/// collected a value may be invalid: then the accessors return something empty, and ``isValid(_:)`` tells.
package struct ConfigSection: Sendable {
    struct Entry: Sendable {
        var field: ConfigField
        var value: ConfigValue
    }

    /// The dotted name for messages: `virtual_devices[].volume`; empty for the whole file.
    package let path: String
    package let location: ConfigLocation
    /// The values in the order of the schema.
    let entries: [Entry]

    init(path: String, location: ConfigLocation, entries: [Entry]) {
        self.path = path
        self.location = location
        self.entries = entries
    }

    /// The keys that have a value, written or by default.
    package var keys: [String] { self.entries.map(\.field.name) }

    /// The value of a key; nil when an optional key is not written.
    package func value(_ name: String) -> ConfigValue? {
        self.entries.first { $0.field.name == name }?.value
    }

    /// True if a key has a value, written or by default.
    package func has(_ name: String) -> Bool { self.value(name) != nil }

    /// True if a key is written in a file, rather than left to its default.
    package func isWritten(_ name: String) -> Bool {
        if let value = self.value(name), value.isValid { value.origin != .default } else { false }
    }

    /// True if the value of a key can be relied on: it is there and could be read.
    package func isValid(_ name: String) -> Bool { self.value(name)?.isValid ?? false }

    /// The origin of a key's value; `default` when there is none.
    package func origin(_ name: String) -> ConfigOrigin { self.value(name)?.origin ?? .default }

    /// The place to point at for a key: its value, or the section when it is not written.
    package func location(_ name: String) -> ConfigLocation { self.value(name)?.location ?? self.location }

    /// The name of a key for messages, with the section's path before it.
    package func path(_ name: String) -> String { self.path.isEmpty ? name : "\(self.path).\(name)" }
}

extension ConfigSection {
    /// A text, of whatever form the schema demands; empty when it is missing.
    package func string(_ name: String) -> String { self.optionalString(name) ?? "" }

    /// A text, or nil when the key is not written.
    package func optionalString(_ name: String) -> String? { self.value(name)?.string }

    /// One of an enum's raw values; the fallback when it is missing.
    package func word<Word>(_ name: String, as type: Word.Type, otherwise fallback: Word) -> Word
    where Word: RawRepresentable<String> {
        self.optionalString(name).flatMap(Word.init(rawValue:)) ?? fallback
    }

    /// `true` or `false`; false when it is missing.
    package func boolean(_ name: String) -> Bool {
        if case .boolean(let value) = self.value(name)?.content { value } else { false }
    }

    /// A whole number; 0 when it is missing.
    package func integer(_ name: String) -> Int { self.optionalInteger(name) ?? 0 }

    /// A whole number, or nil when the key is not written.
    package func optionalInteger(_ name: String) -> Int? {
        if case .integer(let value) = self.value(name)?.content { value } else { nil }
    }

    /// A number; 0 when it is missing.
    package func number(_ name: String) -> Double {
        if case .number(let value) = self.value(name)?.content { value } else { 0 }
    }

    /// A time; zero when it is missing.
    package func duration(_ name: String) -> Duration { self.optionalDuration(name) ?? .zero }

    /// A time, or nil when the key is not written.
    package func optionalDuration(_ name: String) -> Duration? {
        if case .duration(let value) = self.value(name)?.content { value } else { nil }
    }

    /// A number of bytes; 0 when it is missing.
    package func size(_ name: String) -> Int {
        if case .size(let value) = self.value(name)?.content { value } else { 0 }
    }

    /// An address to listen on; port 0 of the loopback when it is missing.
    package func listenAddress(_ name: String) -> ListenAddress {
        self.optionalListenAddress(name) ?? ListenAddress(host: "127.0.0.1", port: 0)
    }

    /// An address to listen on, or nil when the key is not written.
    package func optionalListenAddress(_ name: String) -> ListenAddress? {
        if case .listenAddress(let value) = self.value(name)?.content { value } else { nil }
    }

    /// An address to connect to; the loopback when it is missing.
    package func dialAddress(_ name: String) -> DialAddress {
        if case .dialAddress(let value) = self.value(name)?.content { value } else { DialAddress(host: "127.0.0.1") }
    }

    /// A list of ranges of addresses; empty when it is missing.

    /// A secret; an empty one when it is missing.
    package func secret(_ name: String) -> Secret { self.optionalSecret(name) ?? Secret("") }

    /// A secret, or nil when neither the key nor its `_file` form is written.
    package func optionalSecret(_ name: String) -> Secret? {
        if case .secret(let value) = self.value(name)?.content { value } else { nil }
    }

    /// Any JSON value; `null` when it is missing.
    package func json(_ name: String) -> JSONValue {
        if case .json(let value) = self.value(name)?.content { value } else { .null }
    }

    /// The elements of a list; empty when it is missing.
    package func list(_ name: String) -> [ConfigValue] { self.value(name)?.list ?? [] }

    /// The texts of a list; empty when it is missing.
    package func strings(_ name: String) -> [String] { self.list(name).compactMap(\.string) }

    /// The texts of a list, or nil when the key is not written.
    package func optionalStrings(_ name: String) -> [String]? {
        self.value(name)?.list.map { $0.compactMap(\.string) }
    }

    /// The mappings of a list; empty when it is missing.
    package func sections(_ name: String) -> [ConfigSection] { self.list(name).compactMap(\.section) }

    /// The entries of a mapping with chosen keys, in the order of the file; empty when it is missing.
    package func map(_ name: String) -> [ConfigValue.Entry] { self.value(name)?.map ?? [] }

    /// A mapping with known keys; one without values when it is missing.
    package func section(_ name: String) -> ConfigSection {
        self.optionalSection(name) ?? ConfigSection(path: self.path(name), location: self.location(name), entries: [])
    }

    /// A mapping with known keys, or nil when the key is not written or holds something else.
    package func optionalSection(_ name: String) -> ConfigSection? { self.value(name)?.section }
}

extension ConfigSection {
    /// Reports when one time of the section does not exceed another, at whichever of the two is written.
    ///
    /// - Parameters:
    ///   - longer: The key of the time that must be the longer one.
    ///   - orEqual: Whether the two may be equal.
    package func requireDuration(
        _ longer: String,
        exceeds shorter: String,
        orEqual: Bool = false,
        problems: inout ConfigProblems
    ) {
        guard self.isValid(longer), self.isValid(shorter) else { return }
        let (long, short) = (self.duration(longer), self.duration(shorter))
        guard long < short || (long == short && !orEqual) else { return }
        let place = self.isWritten(longer) ? longer : shorter
        let relation = orEqual ? "at least" : "longer than"
        let described = { (name: String, value: Duration) in
            self.isWritten(name) ? "\(value.configText)" : "\(value.configText) by default"
        }
        problems.add(
            .inconsistent,
            at: self.location(place),
            "'\(self.path(longer))' (\(described(longer, long))) must be \(relation) '\(shorter)' (\(described(shorter, short)))"
        )
    }

    /// Reports when only one of two keys that belong together is written.
    package func requireTogether(_ first: String, _ second: String, problems: inout ConfigProblems) {
        for (present, absent) in [(first, second), (second, first)] where self.has(present) && !self.has(absent) {
            problems.add(
                .inconsistent,
                at: self.location(present),
                "'\(self.path(present))' needs '\(absent)' beside it",
                hint: "give both or neither"
            )
        }
    }
}
