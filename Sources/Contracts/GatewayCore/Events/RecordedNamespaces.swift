public import CastWire
public import HandlerKit

/// In which namespaces messages of apps are recorded: some for readers, which come and go, some always.
public struct RecordedNamespaces: Hashable, Sendable {
    /// Those that readers name.
    public var named: Set<Namespace>
    /// Those of which messages are always recorded.
    public var standing: [NamespacePattern]

    /// Collects namespaces.
    public init(named: Set<Namespace> = [], standing: [NamespacePattern] = []) {
        self.named = named
        self.standing = standing
    }

    /// Whether there is none.
    var isEmpty: Bool { self.named.isEmpty && self.standing.isEmpty }

    /// Whether messages of a namespace are recorded.
    func contains(_ namespace: Namespace) -> Bool {
        self.named.contains(namespace) || self.standing.contains { $0.matches(namespace) }
    }
}
