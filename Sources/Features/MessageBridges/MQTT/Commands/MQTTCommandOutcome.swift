/// The outcome of a message to a command topic.
package enum MQTTCommandOutcome: String, Hashable, Sendable, CaseIterable {
    case done
    case failed
    case invalid
    /// It was retained by the broker, and may be old.
    case retained
    case duplicate
    /// Too many commands wait.
    case overflow
}
