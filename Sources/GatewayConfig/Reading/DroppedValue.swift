/// A value that is in a file and not in the tree, since its key was there before.
struct DroppedValue: Sendable {
    /// Where it stands.
    var location: ConfigLocation
    /// The keys that lead to it, its own last.
    var keys: [String]
    /// Whether it is a single value.
    var isScalar: Bool

    init(_ node: ConfigNode, keys: [String]) {
        self.location = node.location
        self.keys = keys
        self.isScalar = if case .scalar = node.content { true } else { false }
    }

    /// Whether it may be, or hold, what must not be shown. It was not checked, so its keys have to tell.
    func mayBeSecret(_ secretKeys: [String]) -> Bool {
        !self.isScalar || self.keys.contains { Secret.isNamed($0) || secretKeys.contains($0) }
    }
}
