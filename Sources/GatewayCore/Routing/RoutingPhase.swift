/// When a claim is asked about a message.
public enum RoutingPhase: String, Sendable, Hashable, CaseIterable {
    /// Before anybody owns the message: all that match, in order; may pass, rewrite, reject or drop.
    case filter
    /// The owner: the most specific claim first; may reply, forward, drop, reject, or pass to the next candidate.
    case handle
    /// Afterwards: all that match receive a copy; nothing waits for them.
    case observe
}
