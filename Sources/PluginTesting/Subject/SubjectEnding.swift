/// How a plugin's process ended.
public enum SubjectEnding: Hashable, Sendable, CustomStringConvertible {
    /// It left by itself.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32)
    /// It was never there.
    case notStarted(String)

    /// In words, as in "the plugin …".
    public var description: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let number): "was ended by signal \(number)"
        case .notStarted(let reason): "could not be started: \(reason)"
        }
    }

    /// Reads a report of the launcher's; nil for one that is about something else.
    init?(report: Substring) {
        let parts = report.split(separator: " ", maxSplits: 1)
        switch (parts.first, parts.count > 1 ? parts[1] : "") {
        case ("exited", let status): self = .exited(Int32(status) ?? -1)
        case ("signal", let number): self = .signalled(Int32(number) ?? -1)
        case ("failed", let reason): self = .notStarted(String(reason))
        default: return nil
        }
    }
}
