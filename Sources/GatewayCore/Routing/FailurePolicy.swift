/// What becomes of a message when the handler that was asked fails or is late.
public enum FailurePolicy: String, Sendable, Hashable, CaseIterable {
    /// As if the handler had passed.
    case open
    /// The message is rejected.
    case closed
}
