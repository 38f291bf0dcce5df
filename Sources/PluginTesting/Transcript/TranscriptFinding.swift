/// Where a plugin did otherwise than its transcript says.
public struct TranscriptFinding: Sendable, Hashable, CustomStringConvertible {
    /// The line of the transcript, from 1.
    public let line: Int
    /// What is different.
    public let text: String

    /// For people.
    public var description: String { "line \(self.line): \(self.text)" }
}
