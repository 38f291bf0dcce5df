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

    /// When it will be there, or was; nil while it stands, or when that is years away.
    func instant(of position: Double) -> NIODeadline? {
        guard self.isRunning, self.rate > 0 else { return nil }
        let seconds = (position - self.anchor) / self.rate
        guard seconds < NIODeadline.farAway else { return nil }
        return self.since.later(by: seconds)
    }
}
