/// What became of the attempt to accept a connection.
public enum AcceptOutcome: Sendable, Hashable {
    /// It was accepted.
    case accepted
    /// The system refused, mostly for want of descriptors; it is tried again in a second.
    case failed(reason: String)
}
