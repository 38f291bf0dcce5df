public import GatewayConfig

/// What a new configuration changes in a running gateway, key by key, in the order of `gateway.yaml`.
public struct ReloadPlan: Sendable, Hashable {
    /// The changes; empty when nothing differs.
    public private(set) var changes: [ReloadChange]

    /// The keys that cannot change while the gateway runs.
    public var restartKeys: [String] { self.changes.filter { $0.reload == .restart }.map(\.path) }

    /// Compares two configurations.
    public init(from old: GatewayConfiguration, to new: GatewayConfiguration) {
        self.changes = ReloadDifference(from: old, to: new).changes
    }

    /// Says of a key what else there is to know.
    mutating func note(_ path: String, _ note: String) {
        guard let index = self.changes.firstIndex(where: { $0.path == path }) else { return }
        self.changes[index].note = note
    }

    /// Adds a key whose value is the same though what it names is not.
    mutating func add(_ path: String, _ reload: ReloadClass, note: String) {
        guard !self.changes.contains(where: { $0.path == path }) else { return }
        self.changes.append(ReloadChange(path: path, reload: reload, note: note))
    }
}
