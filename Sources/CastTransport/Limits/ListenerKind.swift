/// What a listener is for. Each kind has limits and counts of its own, so that none can use up what another needs.
public enum ListenerKind: String, Sendable, Hashable, CaseIterable {
    /// Cast channels.
    case senders
    /// HTTP and HTTPS of the set-up service.
    case setup
    /// HTTP of the admin listener.
    case admin
}
