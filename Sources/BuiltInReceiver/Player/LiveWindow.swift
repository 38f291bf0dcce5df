import CastWire
import NIOCore

/// The part of a live stream that can be reached: it ends at the live edge, which moves with the clock.
///
/// A stream with a manifest offers a window of fixed length, and the player joins it at the edge. A progressive stream
/// begins at 0 for the player, as senders that serve it count (VLC), and nothing of it is dropped; the edge is one
/// window ahead, so that files which a sender took for live (pychromecast's default) can be sought in.
struct LiveWindow {
    private let origin: NIODeadline
    private let length: Double
    private let moves: Bool

    init(joinedAt instant: NIODeadline, length: Double, moves: Bool) {
        self.origin = instant
        self.length = length
        self.moves = moves
    }

    func end(at instant: NIODeadline) -> Double {
        self.length + self.origin.seconds(until: instant)
    }

    func start(at instant: NIODeadline) -> Double {
        self.moves ? self.origin.seconds(until: instant) : 0
    }

    /// Where a player joins that is not told where to start.
    func entry(at instant: NIODeadline) -> Double {
        self.moves ? self.end(at: instant) : 0
    }

    func clamp(_ position: Double, at instant: NIODeadline) -> Double {
        min(max(position, self.start(at: instant)), self.end(at: instant))
    }

    func range(at instant: NIODeadline) -> LiveSeekableRange {
        var range = LiveSeekableRange()
        range.start = self.start(at: instant)
        range.end = self.end(at: instant)
        range.isMovingWindow = self.moves
        range.isLiveDone = false
        return range
    }
}
