import CastWire
import NIOCore

/// A break that plays. The media's clock stands meanwhile.
struct ActiveBreak {
    /// How the media goes on behind it.
    enum Continuation: Equatable {
        /// At a position.
        case at(Double)
        /// It was the post-roll, so the item ends.
        case itemEnd
    }

    /// Its place in the session's list of planned breaks.
    let planIndex: Int
    let plan: PlannedBreak
    let continuation: Continuation
    private(set) var clipIndex = 0
    private(set) var clock: MediaClock
    private(set) var isSkippingAnnounced = false
    private var elapsed: Double = 0

    init(_ plan: PlannedBreak, planIndex: Int, then continuation: Continuation, at instant: NIODeadline) {
        self.plan = plan
        self.planIndex = planIndex
        self.continuation = continuation
        self.clock = MediaClock(position: 0, at: instant)
        self.isSkippingAnnounced = self.isSkippable(at: instant)
    }

    var clip: PlannedBreak.Clip { self.plan.clips[self.clipIndex] }

    var clipEnd: NIODeadline? { self.clock.instant(of: self.clip.duration) }

    /// When the clip becomes skippable, once.
    var skippableInstant: NIODeadline? {
        guard !self.isSkippingAnnounced, let when = self.clip.whenSkippable, when < self.clip.duration else {
            return nil
        }
        return self.clock.instant(of: when)
    }

    func isSkippable(at instant: NIODeadline) -> Bool {
        guard let when = self.clip.whenSkippable else { return false }
        return self.isSkippingAnnounced || self.clock.position(at: instant) >= when
    }

    mutating func announceSkipping(at instant: NIODeadline) {
        self.isSkippingAnnounced = true
        if let when = self.clip.whenSkippable { self.clock.move(to: when, at: instant) }
    }

    mutating func run(_ runs: Bool, at instant: NIODeadline) {
        self.clock.run(runs, at: instant)
    }

    /// Goes to the next clip; false when there is none.
    mutating func nextClip(at instant: NIODeadline) -> Bool {
        guard self.clipIndex + 1 < self.plan.clips.count else { return false }
        self.elapsed += min(self.clock.position(at: instant), self.clip.duration)
        self.clipIndex += 1
        self.clock.move(to: 0, at: instant)
        self.isSkippingAnnounced = false
        self.isSkippingAnnounced = self.isSkippable(at: instant)
        return true
    }

    func status(at instant: NIODeadline) -> BreakStatus {
        let position = min(self.clock.position(at: instant), self.clip.duration)
        var status = BreakStatus()
        status.breakID = self.plan.id
        status.breakClipID = self.clip.id
        status.currentBreakTime = self.elapsed + position
        status.currentBreakClipTime = position
        status.whenSkippable = self.clip.whenSkippable
        return status
    }
}
