/// A value of a configuration file with its place: the tree on which everything is checked.
public struct ConfigNode: Sendable, Equatable {
    /// What a node is.
    public enum Content: Sendable, Equatable {
        /// A single value.
        case scalar(ConfigScalar)
        /// A list.
        case sequence([ConfigNode])
        /// Keys with values, in the order of the file; keys are unique.
        case mapping([ConfigEntry])
    }

    /// What the node is.
    public var content: Content
    /// Where it stands.
    public var location: ConfigLocation

    /// Makes a node.
    public init(_ content: Content, at location: ConfigLocation) {
        self.content = content
        self.location = location
    }

    /// The entries of a mapping; nil for anything else.
    public var entries: [ConfigEntry]? {
        if case .mapping(let entries) = self.content { entries } else { nil }
    }

    /// Where to point for the whole node: its first key, its first element, or the node itself.
    var start: ConfigLocation {
        switch self.content {
        case .mapping(let entries): entries.first?.keyLocation ?? self.location
        case .sequence, .scalar: self.location
        }
    }
}
