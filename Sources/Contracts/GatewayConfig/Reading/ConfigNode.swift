import CastWire

/// A value of a configuration file with its place: the tree on which everything is checked.
package struct ConfigNode: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case scalar(ConfigScalar)
        case sequence([ConfigNode])
        /// Keys with values, in the order of the file; keys are unique.
        case mapping([ConfigEntry])
    }

    package var content: Content
    package var location: ConfigLocation

    package init(_ content: Content, at location: ConfigLocation) {
        self.content = content
        self.location = location
    }

    /// The entries of a mapping; nil for anything else.
    package var entries: [ConfigEntry]? {
        if case .mapping(let entries) = self.content { entries } else { nil }
    }

    /// The place to point at for the whole node: its first key, its first element, or the node itself.
    var start: ConfigLocation {
        switch self.content {
        case .mapping(let entries): entries.first?.keyLocation ?? self.location
        case .sequence, .scalar: self.location
        }
    }
}

/// One key of a mapping with its value.
package struct ConfigEntry: Sendable, Equatable {
    package var key: String
    package var keyLocation: ConfigLocation
    package var value: ConfigNode

    package init(key: String, keyLocation: ConfigLocation, value: ConfigNode) {
        self.key = key
        self.keyLocation = keyLocation
        self.value = value
    }

    /// True if the entry is a note: keys that start with `x-` are allowed everywhere and mean nothing.
    package var isNote: Bool { self.key.hasPrefix("x-") }
}

/// A single value as it stands in the file, before it has a type.
package struct ConfigScalar: Sendable, Equatable {
    /// The notation of a scalar.
    package enum Style: Sendable, Equatable {
        case plain
        /// Within `'`.
        case singleQuoted
        /// Within `"`.
        case doubleQuoted
        /// As a block after `|` or `>`.
        case block
    }

    /// The text, escapes and references resolved.
    package var text: String
    package var style: Style
    /// True if the text may become a number, a truth value or null: it has no quotes and is not pieced together.
    package var isPlain: Bool
    /// The environment variables that the text came from, in order.
    package var variables: [String]
    /// True if the text could not be made out, which has already been reported.
    package var isBroken: Bool
    /// The ranges of UTF-8 bytes of the text, in order, that are text and nothing else: what variables brought in.
    var inserted: [Range<Int>] = []
    /// The value of a program's JSON that this is; nil for what a file says.
    var original: JSONValue?

    package init(text: String, style: Style, isPlain: Bool, variables: [String] = [], isBroken: Bool = false) {
        self.text = text
        self.style = style
        self.isPlain = isPlain
        self.variables = variables
        self.isBroken = isBroken
    }

    /// True if the value is nothing: empty, `~` or `null` without quotes (YAML 1.2 core schema).
    package var isNull: Bool {
        self.isPlain && !self.isBroken && ["", "~", "null", "Null", "NULL"].contains(self.text)
    }
}

extension ConfigNode {
    /// Moves the node and all within it to one place.
    mutating func relocate(to location: ConfigLocation) {
        self.location = location
        switch self.content {
        case .scalar:
            break
        case .sequence(var elements):
            for index in elements.indices { elements[index].relocate(to: location) }
            self.content = .sequence(elements)
        case .mapping(var entries):
            for index in entries.indices {
                entries[index].keyLocation = location
                entries[index].value.relocate(to: location)
            }
            self.content = .mapping(entries)
        }
    }
}

extension ConfigNode {
    /// The node as JSON: what was JSON as it was, and plain scalars of a file as the core schema of YAML 1.2 types them.
    var json: JSONValue {
        switch self.content {
        case .sequence(let elements):
            return .array(elements.map(\.json))
        case .mapping(let entries):
            return .object(JSONObject(entries.map { ($0.key, $0.value.json) }))
        case .scalar(let scalar):
            if let original = scalar.original { return original }
            guard scalar.isPlain, !scalar.isBroken else { return .string(scalar.text) }
            if scalar.isNull { return .null }
            if scalar.text == "true" || scalar.text == "false" { return .bool(scalar.text == "true") }
            if let number = CoreSchemaNumber.integer(scalar.text) { return .number(number) }
            // Such a number is one of JSON too, and keeps its spelling.
            if CoreSchemaNumber.number(scalar.text) != nil, let number = try? JSONReader.read(scalar.text) {
                return number
            }
            return .string(scalar.text)
        }
    }

    /// Reads YAML text that Castway itself contains: a default or an example; nil when it is not YAML.
    init?(yaml text: String) {
        var nodes = ConfigTreeBuilder.nodeLimit
        var dropped: [DroppedValue] = []
        var problems = ConfigProblems()
        let bytes = Array(text.utf8)
        let source = ConfigSource(file: "default", bytes: bytes)
        let tree = ConfigTreeBuilder.tree(
            bytes, source: source, nodesLeft: &nodes, problems: &problems, droppedValues: &dropped)
        guard let tree, problems.all.isEmpty else { return nil }
        self = tree
    }
}
