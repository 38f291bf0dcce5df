package import CastWire

/// A checked value with its type and its origin.
package struct ConfigValue: Sendable {
    /// One entry of a mapping whose keys the operator chose.
    package struct Entry: Sendable {
        package let key: String
        package let keyLocation: ConfigLocation
        package let value: ConfigValue
    }

    package enum Content: Sendable {
        /// A text of any form.
        case string(String)
        case boolean(Bool)
        case integer(Int)
        case number(Double)
        case duration(Duration)
        /// A number of bytes.
        case size(Int)
        case listenAddress(ListenAddress)
        case dialAddress(DialAddress)
        case addressRange(AddressRange)
        /// A text that is never shown.
        case secret(Secret)
        case json(JSONValue)
        case list([ConfigValue])
        /// A mapping with known keys.
        case section(ConfigSection)
        /// A mapping with chosen keys.
        case map([Entry])
        /// A value that could not be read; the reason has been reported.
        case invalid
    }

    package let content: Content
    package let origin: ConfigOrigin
    /// The place of the value, or, for a default, where its key would stand.
    package let location: ConfigLocation
    /// For a value that may be anything, the tree that it was read from, with the place of every part; nil for others.
    package let node: ConfigNode?

    init(_ content: Content, origin: ConfigOrigin, location: ConfigLocation, node: ConfigNode? = nil) {
        self.content = content
        self.origin = origin
        self.location = location
        self.node = node
    }

    /// True if the value was written and could be read, or has a default.
    package var isValid: Bool {
        if case .invalid = self.content { false } else { true }
    }

    /// The text; nil for a value of another type.
    package var string: String? {
        if case .string(let text) = self.content { text } else { nil }
    }

    /// The text that is never shown; nil for a value of another type.
    package var secret: Secret? {
        if case .secret(let secret) = self.content { secret } else { nil }
    }

    /// The elements; nil for a value of another type.
    package var list: [ConfigValue]? {
        if case .list(let elements) = self.content { elements } else { nil }
    }

    /// The section; nil for a value of another type.
    package var section: ConfigSection? {
        if case .section(let section) = self.content { section } else { nil }
    }

    /// The entries of a mapping with chosen keys; nil for a value of another type.
    package var map: [Entry]? {
        if case .map(let entries) = self.content { entries } else { nil }
    }

    /// The range of addresses; nil for a value of another type.
    package var addressRange: AddressRange? {
        if case .addressRange(let range) = self.content { range } else { nil }
    }
}

package enum ConfigOrigin: Sendable, Hashable {
    case file(ConfigLocation)
    /// The key is not written anywhere.
    case `default`
    /// Environment variables, referred to at a place.
    case environment([String], ConfigLocation)
    /// A file with a secret, named at a place.
    case secretFile(String, ConfigLocation)

    /// The place in a configuration file; nil for a default.
    package var location: ConfigLocation? {
        switch self {
        case .file(let location), .environment(_, let location), .secretFile(_, let location): location
        case .default: nil
        }
    }

    /// The origin in a few words, without the column: `conf.d/rooms.yaml:3`.
    package var summary: String {
        switch self {
        case .file(let location):
            "\(location.file):\(location.line)" + (location.item.map { ", item in line \($0.line)" } ?? "")
        case .default: "default"
        case .environment(let names, _): "environment \(names.joined(separator: ", "))"
        case .secretFile(let path, _): "file \(path)"
        }
    }
}

extension ConfigOrigin: CustomStringConvertible {
    /// `file:line:column`, `default`, `environment VARIABLE` or `file PATH`.
    package var description: String {
        if case .file(let location) = self { "\(location)" } else { self.summary }
    }
}
