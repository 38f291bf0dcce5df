/// How much a line of the log matters.
public enum PluginLogLevel: String, Hashable, Sendable, CaseIterable {
    /// For whoever looks for a fault in detail.
    case trace
    /// For whoever looks for a fault.
    case debug
    /// What happens.
    case info
    /// What is worth a look, and is as it should be.
    case notice
    /// What is not as it should be, and was dealt with.
    case warning
    /// What failed.
    case error
    /// What somebody has to look at now.
    case critical
}
