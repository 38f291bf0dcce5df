/// What a claim is for.
public enum PluginPhase: String, Hashable, Sendable, CaseIterable {
    /// Looks at messages on their way: lets pass, rewrites, rejects, drops.
    case filter
    /// Owns the namespace: replies, forwards, takes, rejects, drops, defers.
    case handle
    /// Gets copies, and nothing waits for it.
    case observe
}
