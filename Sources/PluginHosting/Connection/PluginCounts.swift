/// What a plugin's wire has counted since the plugin became one.
public struct PluginCounts: Hashable, Sendable {
    /// Messages answered by a verdict.
    public var answered = 0
    /// Messages answered by an error.
    public var errors = 0
    /// Messages answered by a verdict that makes no sense.
    public var invalid = 0
    /// Messages that nobody waited for any more: the deadline passed, or the sender went away.
    public var abandoned = 0
    /// Messages that failed with the process.
    public var lost = 0
    /// Messages that were not sent, since too many waited.
    public var overloaded = 0
    /// Answers to messages that nobody waited for any more.
    public var late = 0
    /// Second answers.
    public var duplicates = 0
    /// Answers to nothing that was asked.
    public var unknownIDs = 0
    /// Lines that are none of the protocol.
    public var stray = 0
    /// Lines beyond the limit.
    public var oversized = 0
    /// Copies and events that were sent.
    public var observed = 0
    /// Copies and events that were left out, since too many waited.
    public var dropped = 0
    /// Things that the plugin wanted and was not granted.
    public var refused = 0

    /// Nothing yet.
    public init() {}

    /// Adds what another life of the plugin has counted.
    mutating func add(_ other: PluginCounts) {
        self.answered += other.answered
        self.errors += other.errors
        self.invalid += other.invalid
        self.abandoned += other.abandoned
        self.lost += other.lost
        self.overloaded += other.overloaded
        self.late += other.late
        self.duplicates += other.duplicates
        self.unknownIDs += other.unknownIDs
        self.stray += other.stray
        self.oversized += other.oversized
        self.observed += other.observed
        self.dropped += other.dropped
        self.refused += other.refused
    }
}
