/// What came of playing a transcript.
public struct TranscriptReport: Sendable {
    /// Where the plugin did otherwise; empty when all is as it stands there.
    public let findings: [TranscriptFinding]
    /// The transcript as it would be right, with what the plugin said.
    public let updated: String
    /// What the plugin logged, and asked of its store.
    public let asides: [String]
    /// The last lines of what it wrote to standard error.
    public let errors: [String]
}
