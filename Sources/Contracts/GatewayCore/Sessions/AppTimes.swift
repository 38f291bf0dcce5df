public import NIOCore

/// Since when an app runs, and what it plays is as it is; instants of the event loops' clock.
public struct AppTimes: Hashable, Sendable {
    /// When the app was started, or seen first; nil when that is not known.
    public var started: NIODeadline?
    /// Since when its player has been in its state, with the item that it has; nil when nothing is loaded.
    public var playback: NIODeadline?
    /// Where its player is now, in seconds of the media; nil when nothing is loaded.
    public var position: Double?

    /// Nothing is known.
    public init() {}

    /// Collects what is known.
    public init(started: NIODeadline?, playback: NIODeadline?, position: Double?) {
        self.started = started
        self.playback = playback
        self.position = position
    }
}

/// Follows a player: since when it has been in its state, with the item that it has.
public struct PlaybackSpan: Sendable {
    private struct Key: Equatable {
        let session: Int
        let state: String
        let item: Int?
    }

    private var key: Key?
    /// Since when it is as it is; nil while nothing is loaded.
    public private(set) var since: NIODeadline?

    /// Nothing is loaded.
    public init() {}

    /// Takes how the player stands.
    /// - Parameters:
    ///   - session: the media session; nil when nothing is loaded.
    ///   - state: the player's state, in any words that are always the same.
    ///   - item: the item of the queue; nil when it has none.
    ///   - now: when it is so.
    public mutating func note(session: Int?, state: String, item: Int?, at now: NIODeadline) {
        let key = session.map { Key(session: $0, state: state, item: item) }
        guard key != self.key else { return }
        self.key = key
        self.since = key == nil ? nil : now
    }
}
