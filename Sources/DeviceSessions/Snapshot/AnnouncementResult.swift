/// What became of an announcement, and of what played before.
public struct AnnouncementResult: Hashable, Sendable {
    /// How the announcement ended.
    public enum End: String, Hashable, Sendable {
        /// It was played to its end.
        case played
        /// It could not be played.
        case failed
        /// It did not end in time, and was cut off.
        case cutOff
        /// Somebody played something else meanwhile, which was left alone.
        case takenOver
    }

    /// How the announcement ended.
    public let end: End
    /// Whether the volume is as before.
    public let isVolumeRestored: Bool
    /// Whether what played before plays again; false when nothing played, or somebody took over.
    public let isMediaRestored: Bool
    /// What could not be brought back, or perhaps not.
    public let limits: [PlaybackSnapshot.Limit]
    /// What went wrong on the way, in words.
    public let failures: [String]
}
