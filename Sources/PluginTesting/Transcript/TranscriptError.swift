/// What is wrong with a transcript itself.
public struct TranscriptError: Error, Hashable, CustomStringConvertible {
    /// Its line, from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: String

    /// For people.
    public var description: String { "line \(self.line): \(self.reason)" }
}
