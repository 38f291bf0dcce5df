/// What became of a message to a command topic.
public enum MQTTCommandOutcome: String, Hashable, Sendable, CaseIterable {
    /// It was carried out.
    case done
    /// Its operation has a problem.
    case failed
    /// It is no command.
    case invalid
    /// It was retained by the broker, and may be old.
    case retained
    /// It came twice.
    case duplicate
    /// Too many commands wait.
    case overflow
}
