import CastWire
import NIOCore

/// A break of the current item that the player can play.
///
/// Embedded breaks are none: their clips are part of the stream, which runs on.
struct PlannedBreak {
    struct Clip {
        let id: String
        let duration: Double
        /// After how many seconds it may be skipped; nil is never.
        let whenSkippable: Double?
    }

    /// The length of a clip whose description gives none.
    static let unknownClipDuration: Double = 30

    /// The index in the media's list.
    let index: Int
    let id: String
    let clips: [Clip]
    /// In seconds; nil for a break after the end.
    let position: Double?
    var isWatched: Bool

    /// The breaks of a medium that can be played.
    static func plan(_ media: MediaInformation) -> [PlannedBreak] {
        var clips: [String: BreakClip] = [:]
        for clip in media.breakClips ?? [] {
            if let id = clip.id { clips[id] = clip }
        }
        let elements = media.json.array("breaks") ?? []
        return elements.enumerated().compactMap { index, element in
            guard let json = element.objectValue else { return nil }
            return PlannedBreak(Break(json: json), index: index, clips: clips)
        }
    }

    private init?(_ plan: Break, index: Int, clips known: [String: BreakClip]) {
        guard plan.isEmbedded != true, let position = plan.position, !position.isInfinite else { return nil }
        let clips = (plan.breakClipIDs ?? []).compactMap { known[$0] }
        guard !clips.isEmpty else { return nil }
        let share = plan.duration.flatMap { $0 > 0 && $0.isFinite ? $0 / Double(clips.count) : nil }
        self.clips = clips.map { clip in
            let duration = clip.duration.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            return Clip(
                id: clip.id ?? "", duration: duration ?? share ?? Self.unknownClipDuration,
                whenSkippable: clip.whenSkippable.flatMap { $0 >= 0 ? $0 : nil })
        }
        self.index = index
        self.id = plan.id ?? ""
        self.position = position < 0 ? nil : position
        self.isWatched = plan.isWatched ?? false
    }
}

/// A break that plays. The media's clock stands meanwhile.
struct ActiveBreak {
    /// The way in which the media goes on after the break.
    enum Continuation: Equatable {
        case at(Double)
        /// It was the post-roll, so the item ends.
        case itemEnd
    }

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

    /// The time when the clip becomes skippable, once.
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
