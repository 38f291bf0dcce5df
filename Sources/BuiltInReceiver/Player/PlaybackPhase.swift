import NIOCore

/// How far the current item is.
enum PlaybackPhase: Equatable {
    /// Its media is being fetched; a failing one ends with an error instead.
    case loading(until: NIODeadline, fails: Bool)
    /// It waits for data.
    case buffering(until: NIODeadline)
    /// It plays or is paused.
    case ready
}
