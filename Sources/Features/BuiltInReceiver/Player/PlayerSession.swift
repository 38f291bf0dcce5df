import CastWire
import GatewayConfig
import NIOCore
import SystemPrimitives

/// One media session: what a LOAD brought, until it ends or another takes its place.
struct PlayerSession {
    /// The settings of a player, which its sessions follow.
    struct Setup {
        let options: SimulationOptions
        /// True when media are named by their address, as for the default media receiver, and by nothing that only an
        /// app knows.
        let takesAddressesOnly: Bool
        /// The number of items in a status.
        let statusLimit: Int
    }

    /// Between two items passes at least this time, so that a queue of empty items cannot keep the event loop busy.
    private static let minimumBuffering: Duration = .milliseconds(10)

    let id: Int
    let setup: Setup
    var queue: PlayerQueue
    /// The queue's own fields, as loaded.
    var queueData: QueueData?
    /// The media's position. Its rate stays from item to item.
    var clock: MediaClock
    var phase = PlaybackPhase.ready
    /// Playing, or meant to once it is ready.
    var wantsPlay = true
    var media: ResolvedMedia
    var live: LiveWindow?
    /// The start of the item; nil is the start, or the live edge.
    var requestedStart: Double?
    var activeTrackIDs: [Int] = []
    var breaks: [PlannedBreak] = []
    var adBreak: ActiveBreak?
    var preloadedItemID: Int?
    /// The reason the item before this one ended, while this one loads.
    var previousItemEnd: IdleReason?
    /// The load that waits for its answer.
    var pendingLoad: PlayerRequest?
    /// The simulated failure of the current item, if it fails.
    var failure: SimulatedFailure?
    var failureInstant: NIODeadline?
    /// Set when it is over.
    var ending: IdleReason?
    /// Changes of the queue that senders have not been told of: they follow the answer to the current request.
    var queueChanges: [JSONObject] = []

    init(id: Int, setup: Setup, queue: PlayerQueue, queueData: QueueData?, rate: Double, at now: NIODeadline) {
        self.id = id
        self.setup = setup
        self.queue = queue
        self.queueData = queueData
        self.clock = MediaClock(position: 0, rate: Self.bounded(rate: rate) ?? 1, at: now)
        self.media = ResolvedMedia(MediaInformation(), defaultDuration: 0)
    }

    /// Begins with the first item of a load.
    init(_ plan: LoadPlan, id: Int, setup: Setup, seed: QueueSeed, at now: NIODeadline) {
        var queue = PlayerQueue(seed: seed)
        queue.insert(plan.items, at: 0)
        queue.repeatMode = plan.repeatMode
        queue.isShuffled = plan.queueData?.isShuffled ?? false
        self.init(
            id: id, setup: setup, queue: queue, queueData: plan.queueData,
            rate: plan.rate ?? setup.options.playbackRate, at: now)
        self.start(plan.startIndex, startTime: plan.startTime, autoplay: plan.autoplay, at: now)
        if let ids = plan.activeTrackIDs { self.activeTrackIDs = self.known(ids) }
    }

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

    /// The end of the item in seconds: its length, or as far as the queue item says (protocol notes, 6.8).
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
        self.live?.clamp(position, at: instant) ?? self.bounded(position, at: instant)
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

    private var options: SimulationOptions { self.setup.options }

    /// Starts an item of the queue.
    /// - Parameters:
    ///   - startTime: where, nil is as the item says.
    ///   - autoplay: whether it plays, nil is as the item says.
    ///   - reason: why the item before it ended; nil for the first.
    mutating func start(
        _ index: Int, startTime: Double? = nil, autoplay: Bool? = nil, after reason: IdleReason? = nil,
        at now: NIODeadline
    ) {
        self.queue.index = index
        guard let item = self.queue.current?.item else { return }
        let isPreloaded = reason != nil && self.preloadedItemID == item.itemID
        self.preloadedItemID = nil
        self.previousItemEnd = reason
        self.adBreak = nil
        self.live = nil
        self.failureInstant = nil
        self.take(item.media)
        self.breaks = PlannedBreak.plan(self.media.information)
        if self.options.playsWatchedBreaks {
            for index in self.breaks.indices { self.breaks[index].isWatched = false }
        }
        self.activeTrackIDs = item.activeTrackIDs.map { self.known($0) } ?? self.preferredTracks
        // A place before the start is none: a file begins at its start, a live stream at its edge.
        self.requestedStart = [startTime, item.startTime].compactMap(\.self).first { $0 >= 0 }
        self.wantsPlay = autoplay ?? item.autoplay ?? true
        self.failure = self.foreseeableFailure
        let fails = self.failure?.stage == .load
        if isPreloaded, !fails {
            self.buffer(at: now)
        } else {
            let delay = fails ? max(self.options.loadDelay, self.failure?.after ?? .zero) : self.options.loadDelay
            self.phase = .loading(until: now.later(by: delay), fails: fails)
            self.settle(at: now)
        }
    }

    /// The media is there: it buffers, at its start.
    mutating func buffer(at now: NIODeadline) {
        self.joinLive(at: now)
        let follows = self.previousItemEnd == .finished
        let buffering = follows ? max(self.options.buffering, Self.minimumBuffering) : self.options.buffering
        self.phase = buffering > .zero ? .buffering(until: now.later(by: buffering)) : .ready
        let entry = self.live?.entry(at: now) ?? 0
        let start = self.reachable(self.requestedStart ?? entry, at: now)
        self.clock.run(false, at: now)
        self.clock.move(to: start, at: now)
        self.enterBreak(from: nil, to: start, at: now)
        self.settle(at: now)
    }

    /// Joins a live stream now.
    mutating func joinLive(at now: NIODeadline) {
        guard self.media.isLive else { return }
        self.live = LiveWindow(
            joinedAt: now, length: self.options.liveWindow.inSeconds, moves: self.media.information.hasManifest)
    }

    /// The failure of the media: as configured, else when no media element would take it.
    var foreseeableFailure: SimulatedFailure? {
        let media = self.media.information
        let names = [media.contentID, media.contentURL, media.entity].compactMap(\.self)
        let configured = self.options.failures.first { failure in names.contains(where: failure.match.matches) }
        if let configured { return configured }
        guard media.isRejectedBySource || self.setup.takesAddressesOnly && media.isLocalPath else { return nil }
        return SimulatedFailure(match: Glob("*")) {
            $0.detailedErrorCode = DetailedErrorCode.mediaSourceNotSupported.rawValue
        }
    }

    /// Makes media those of the current item.
    mutating func take(_ media: MediaInformation?) {
        self.media = ResolvedMedia(
            media ?? MediaInformation(), defaultDuration: self.options.defaultDuration.inSeconds)
        self.queue.setCurrentMedia(self.media.information)
    }

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
    /// The next event, if no request comes before.
    var nextEvent: PlayerEvent? {
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
                self.mediaEvents(consider)
            }
        }
        return next
    }

    private func mediaEvents(_ consider: (PlayerEvent.Kind, NIODeadline?) -> Void) {
        guard self.clock.isRunning else { return }
        let now = self.clock.anchor
        for (index, plan) in self.breaks.enumerated() where !plan.isWatched {
            guard let position = plan.position, position >= now, position <= self.end ?? .infinity else { continue }
            consider(.breakReached(planIndex: index), self.clock.instant(of: position))
        }
        guard let end = self.end else { return }
        if let next = self.queue.foreseeableNext, next.id != self.preloadedItemID {
            let lead = next.item.preloadTime ?? self.options.preloadTime.inSeconds
            if lead > 0, lead.isFinite {
                consider(.preloaded(itemID: next.id), self.clock.instant(of: max(now, end - lead)))
            }
        }
        consider(.itemEnded, self.clock.instant(of: end))
    }
}

/// The phase of the current item.
enum PlaybackPhase: Equatable {
    /// Its media is being fetched; a failing one ends with an error instead.
    case loading(until: NIODeadline, fails: Bool)
    case buffering(until: NIODeadline)
    case ready
}

/// Something that happens by itself, and when.
struct PlayerEvent: Equatable {
    enum Kind: Equatable {
        case loaded
        case loadFailed
        case buffered
        case playbackFailed
        case clipEnded
        case clipBecomesSkippable
        case breakReached(planIndex: Int)
        case preloaded(itemID: Int)
        case itemEnded
    }

    let kind: Kind
    let instant: NIODeadline
}
