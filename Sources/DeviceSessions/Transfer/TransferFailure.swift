/// Why playback did not move to another device, and what became of it.
public struct TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// At which step it failed; the first two have the numbers of the Android SDK (protocol notes, 8.5).
    public enum Reason: Int, Hashable, Sendable {
        /// There is nothing to take along: no media, or none that can be described.
        case storeState = 100
        /// It took too long.
        case timeout = 101
        /// The other device could not be reached, or does not start the app.
        case target = 102
        /// The other device does not play.
        case playback = 103
    }

    /// At which step.
    public let reason: Reason
    /// The same in a sentence.
    public let message: String
    /// Whether it plays on where it played before; nil when it never stopped there, or there was no such place.
    public let wasRolledBack: Bool?

    /// The sentence.
    public var description: String { self.message }
}
