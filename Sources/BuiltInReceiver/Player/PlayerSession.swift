import CastWire
import NIOCore

/// One media session: what a LOAD brought, until it ends or another takes its place.
struct PlayerSession {
    let id: Int
    var queue: PlayerQueue
    /// The queue's own fields, as loaded.
    var queueData: QueueData?
    /// The media's position. Its rate stays from item to item.
    var clock: MediaClock
    var phase: PlaybackPhase
    /// Playing, or meant to once it is ready.
    var wantsPlay: Bool
    var media: ResolvedMedia
    var live: LiveWindow?
    /// Where the item starts; nil is the start, or the live edge.
    var requestedStart: Double?
    var activeTrackIDs: [Int] = []
    var breaks: [PlannedBreak] = []
    var adBreak: ActiveBreak?
    var preloadedItemID: Int?
    /// Why the item before this one ended, while this one loads.
    var previousItemEnd: IdleReason?
    /// The load that waits for its answer.
    var pendingLoad: PlayerRequest?
    /// How the current item fails, if it does.
    var failure: SimulatedFailure?
    /// When playback fails.
    var failureInstant: NIODeadline?
    /// Set when it is over.
    var ending: IdleReason?

    var isLoading: Bool { if case .loading = self.phase { true } else { false } }
    var isReady: Bool { self.phase == .ready }

    var playerState: PlayerState {
        if self.ending != nil { return .idle }
        return switch self.phase {
        case .loading: .idle
        case .buffering: .buffering
        case .ready: self.wantsPlay ? .playing : .paused
        }
    }

    // MARK: Position

    /// Where the item ends, in seconds: its length, or as far as the queue item says (protocol notes, 6.8).
    var end: Double? {
        let limit = self.queue.current?.item.playbackDuration.flatMap { $0.isFinite && $0 != 0 ? $0 : nil }
        let start = max(0, self.queue.current?.item.startTime ?? 0)
        guard let limit, !self.media.isLive else { return self.media.duration }
        if limit > 0 { return min(self.media.duration ?? .infinity, start + limit) }
        return self.media.duration.map { max(0, $0 + limit) }
    }

    func position(at instant: NIODeadline) -> Double {
        self.isLoading ? 0 : self.bounded(self.clock.position(at: instant), at: instant)
    }

    /// A position that the media has.
    func bounded(_ position: Double, at instant: NIODeadline) -> Double {
        if let live {
            return self.clock.isRunning ? live.clamp(position, at: instant) : min(position, live.end(at: instant))
        }
        return min(max(0, position), self.media.duration ?? self.end ?? 0, self.end ?? .infinity)
    }

    /// A position to go to.
    func reachable(_ position: Double, at instant: NIODeadline) -> Double {
        if let live { return live.clamp(position, at: instant) }
        return self.bounded(position, at: instant)
    }

    /// Lets the clocks run or stand as the state demands. Call it after every change of state.
    mutating func settle(at instant: NIODeadline) {
        let runs = self.isReady && self.wantsPlay
        let mediaRuns = runs && self.adBreak == nil
        // A paused live stream goes on without the player: playing starts inside the window.
        let position = self.position(at: instant)
        self.clock.run(mediaRuns, at: instant)
        self.clock.move(to: mediaRuns ? self.reachable(position, at: instant) : position, at: instant)
        self.adBreak?.run(runs, at: instant)
        if runs, self.failureInstant == nil, let failure = self.failure, failure.stage == .playback {
            self.failureInstant = instant.later(by: failure.after)
        }
    }

    // MARK: Media

    /// Changes what is known of the media, in the queue as well.
    mutating func updateMedia(_ change: (inout MediaInformation) -> Void) {
        change(&self.media.information)
        self.queue.setCurrentMedia(self.media.information)
    }

    // MARK: Breaks

    /// Starts the latest unwatched break between two positions, if there is one; nil is before the start.
    mutating func enterBreak(from: Double?, to position: Double, at instant: NIODeadline) {
        let candidates = self.breaks.indices.filter { index in
            let plan = self.breaks[index]
            guard !plan.isWatched, let place = plan.position else { return false }
            return place <= position && from.map { place > $0 } ?? true
        }
        let latest = candidates.max { (self.breaks[$0].position ?? 0) < (self.breaks[$1].position ?? 0) }
        if let latest { self.startBreak(latest, then: .at(position), at: instant) }
    }

    mutating func startBreak(_ index: Int, then continuation: ActiveBreak.Continuation, at instant: NIODeadline) {
        guard self.breaks.indices.contains(index) else { return }
        let plan = self.breaks[index]
        if let position = plan.position { self.clock.move(to: self.reachable(position, at: instant), at: instant) }
        self.adBreak = ActiveBreak(plan, planIndex: index, then: continuation, at: instant)
    }

    /// Ends the clip. True when the item is over as well, because the break was behind its end.
    mutating func endClip(at instant: NIODeadline) -> Bool {
        guard var active = self.adBreak else { return false }
        if active.nextClip(at: instant) {
            self.adBreak = active
            return false
        }
        self.adBreak = nil
        self.breaks[active.planIndex].isWatched = true
        self.updateMedia { media in
            guard var list = media.json.array("breaks"), list.indices.contains(active.plan.index),
                var watched = list[active.plan.index].objectValue
            else { return }
            watched["isWatched"] = true
            list[active.plan.index] = .object(watched)
            media.json["breaks"] = .array(list)
        }
        switch active.continuation {
        case .itemEnd: return true
        case .at(let position):
            self.clock.move(to: self.reachable(position, at: instant), at: instant)
            return false
        }
    }

    var postRoll: Int? {
        self.breaks.firstIndex { $0.position == nil && !$0.isWatched }
    }
}

extension PlayerSession {
    /// What happens next by itself, if no request comes before.
    func nextEvent(preloadTime: Double) -> PlayerEvent? {
        var next: PlayerEvent?
        func consider(_ kind: PlayerEvent.Kind, _ instant: NIODeadline?) {
            guard let instant else { return }
            if let known = next, known.instant <= instant { return }
            next = PlayerEvent(kind: kind, instant: instant)
        }
        consider(.playbackFailed, self.failureInstant)
        switch self.phase {
        case .loading(let until, let fails): consider(fails ? .loadFailed : .loaded, until)
        case .buffering(let until): consider(.buffered, until)
        case .ready:
            if let adBreak {
                consider(.clipEnded, adBreak.clipEnd)
                consider(.clipBecomesSkippable, adBreak.skippableInstant)
            } else {
                self.mediaEvents(preloadTime: preloadTime, consider)
            }
        }
        return next
    }

    private func mediaEvents(preloadTime: Double, _ consider: (PlayerEvent.Kind, NIODeadline?) -> Void) {
        guard self.clock.isRunning else { return }
        let now = self.clock.anchor
        for (index, plan) in self.breaks.enumerated() where !plan.isWatched {
            guard let position = plan.position, position >= now, position <= self.end ?? .infinity else { continue }
            consider(.breakReached(planIndex: index), self.clock.instant(of: position))
        }
        guard let end = self.end else { return }
        if let next = self.queue.foreseeableNext, next.id != self.preloadedItemID {
            let lead = next.item.preloadTime ?? preloadTime
            if lead > 0, lead.isFinite {
                consider(.preloaded(itemID: next.id), self.clock.instant(of: max(now, end - lead)))
            }
        }
        consider(.itemEnded, self.clock.instant(of: end))
    }
}

/// How far the current item is.
enum PlaybackPhase: Equatable {
    /// Its media is being fetched; a failing one ends with an error instead.
    case loading(until: NIODeadline, fails: Bool)
    /// It waits for data.
    case buffering(until: NIODeadline)
    /// It plays or is paused.
    case ready
}
