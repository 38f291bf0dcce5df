import CastWire
import NIOCore

/// A position that moves with the time while it runs, at a rate.
struct MediaClock {
    private(set) var anchor: Double
    private var since: NIODeadline
    private(set) var rate: Double
    private(set) var isRunning = false

    /// A clock that stands at a position, in seconds.
    init(position: Double, rate: Double = 1, at instant: NIODeadline) {
        self.anchor = position
        self.since = instant
        self.rate = rate
    }

    func position(at instant: NIODeadline) -> Double {
        self.isRunning ? self.anchor + self.since.seconds(until: instant) * self.rate : self.anchor
    }

    mutating func move(to position: Double, at instant: NIODeadline) {
        self.anchor = position
        self.since = instant
    }

    mutating func run(_ runs: Bool, at instant: NIODeadline) {
        self.move(to: self.position(at: instant), at: instant)
        self.isRunning = runs
    }

    mutating func setRate(_ rate: Double, at instant: NIODeadline) {
        self.move(to: self.position(at: instant), at: instant)
        self.rate = rate
    }

    /// The time when it will be there, or was; nil while it stands, or when that is years away.
    func instant(of position: Double) -> NIODeadline? {
        guard self.isRunning, self.rate > 0 else { return nil }
        let seconds = (position - self.anchor) / self.rate
        guard seconds < NIODeadline.farAway else { return nil }
        return self.since.later(by: seconds)
    }
}

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

    /// The position at which a player joins that is not told where to start.
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

extension NIODeadline {
    /// Seconds beyond which nothing is planned, about three years.
    static let farAway: Double = 100_000_000

    /// The seconds from this instant to another, 0 when that is earlier.
    func seconds(until other: NIODeadline) -> Double {
        guard other > self else { return 0 }
        return Double(other.uptimeNanoseconds - self.uptimeNanoseconds) / 1_000_000_000
    }

    /// The instant that many seconds later; never earlier, and at most three years.
    func later(by seconds: Double) -> NIODeadline {
        let bounded = min(max(seconds, 0), Self.farAway)
        return self + .nanoseconds(Int64((bounded * 1_000_000_000).rounded(.up)))
    }

    /// The instant that much later; never earlier, and at most three years.
    func later(by duration: Duration) -> NIODeadline {
        guard duration < .seconds(Int64(Self.farAway)) else { return self.later(by: Self.farAway) }
        let (seconds, attoseconds) = duration.components
        return self + .nanoseconds(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }
}
