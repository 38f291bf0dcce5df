import CastWire
import NIOCore

extension PlayerSession {
    /// The speeds of the default receiver.
    static let rates: ClosedRange<Double> = 0.5...2

    /// A speed that the player has, or nil when it is none at all.
    static func bounded(rate: Double) -> Double? {
        rate > 0 ? min(max(rate, Self.rates.lowerBound), Self.rates.upperBound) : nil
    }

    /// The answer to a request that changes nothing; nil for the others.
    func answer(
        to request: PlayerRequest, _ type: MediaRequestType, at now: NIODeadline
    ) throws(PlayerRefusal) -> JSONObject? {
        switch type {
        case .queueGetItemIDs: self.queue.itemIDs
        case .queueGetItems: try self.queue.items(request)
        case .queueGetItemRange: try self.queue.itemRange(request)
        case .storeSession: try self.storedState(at: now)
        default: nil
        }
    }

    /// Carries out a request that changes what is loaded.
    mutating func perform(
        _ request: PlayerRequest, _ type: MediaRequestType, at now: NIODeadline
    ) throws(PlayerRefusal) {
        switch type {
        case .play: self.setPlaying(true, at: now)
        case .pause: self.setPlaying(false, at: now)
        case .stop: self.ending = .cancelled
        case .seek: try self.seek(request, at: now)
        case .setPlaybackRate: try self.setPlaybackRate(request, at: now)
        case .editTracksInfo: try self.editTracks(request)
        case .editAudioTracks: try self.editAudioTracks(request)
        case .queueInsert: try self.insert(request, at: now)
        case .queueUpdate: try self.update(request, at: now)
        case .queueRemove: try self.remove(request, at: now)
        case .queueReorder: try self.reorder(request, at: now)
        case .queueNext: try self.jump(1, at: now)
        case .queuePrevious: try self.jump(-1, at: now)
        case .queueShuffle: self.shuffle(request.message.shuffles ?? true)
        case .skipAd: try self.skipAd(at: now)
        case .userAction: try self.userAction(request, at: now)
        case .preload: try self.preload(request)
        case .playAgain:
            self.start(self.queue.index, startTime: 0, autoplay: true, after: .interrupted, at: now)
        default: throw .invalid(.invalidCommand)
        }
    }

    private mutating func setPlaying(_ plays: Bool, at now: NIODeadline) {
        self.wantsPlay = plays
        // What is paused while it buffers is paused at once.
        if !plays, case .buffering = self.phase { self.phase = .ready }
        self.settle(at: now)
    }

    private mutating func seek(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        guard self.adBreak == nil else { throw .invalidState }
        let message = request.message
        let resume = try request.checked("resumeState", message.resumeState)
        if let resume, resume != .start, resume != .pause { throw .invalidParameters }
        let relative = try request.checked("relativeTime", message.relativeTime)
        let absolute = try request.checked("currentTime", message.currentTime)
        let position = self.isLoading ? self.requestedStart ?? 0 : self.position(at: now)
        let target: Double
        switch (relative, absolute) {
        case (let relative?, _): target = position + relative
        case (nil, let absolute?): target = absolute
        case (nil, nil):
            // A live stream goes to its edge then.
            guard self.media.isLive || resume != nil else { throw .invalidParameters }
            target = self.media.isLive ? .infinity : position
        }
        if let resume { self.wantsPlay = resume == .start }
        if self.isLoading {
            self.requestedStart = target.isNaN ? nil : target
            return
        }
        let reached = self.reachable(target.isNaN ? position : target, at: now)
        self.clock.run(false, at: now)
        self.clock.move(to: reached, at: now)
        self.enterBreak(from: position, to: reached, at: now)
        let buffers = self.wantsPlay && self.setup.options.buffering > .zero
        self.phase = buffers ? .buffering(until: now.later(by: self.setup.options.buffering)) : .ready
        self.settle(at: now)
    }

    private mutating func setPlaybackRate(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        let absolute = try request.checked("playbackRate", request.message.playbackRate)
        let relative = request.message.relativePlaybackRate.map { $0 * self.clock.rate }
        guard let asked = absolute ?? relative, let rate = Self.bounded(rate: asked) else { throw .invalidParameters }
        self.clock.move(to: self.clock.isRunning ? self.position(at: now) : self.clock.anchor, at: now)
        self.clock.setRate(rate, at: now)
    }

    private mutating func userAction(_ request: PlayerRequest, at now: NIODeadline) throws(PlayerRefusal) {
        guard let action = request.message.userAction, action.isKnown else { throw .invalidParameters }
        if action == .skipAd { return try self.skipAd(at: now) }
        let clears = request.message.clears ?? false
        self.updateMedia { media in
            var states = media.userActionStates ?? []
            states.removeAll { $0.userAction == action || $0.userAction == action.opposite }
            if !clears {
                var state = UserActionState()
                state.userAction = action
                states.append(state)
            }
            media.userActionStates = states
        }
    }

    private mutating func preload(_ request: PlayerRequest) throws(PlayerRefusal) {
        guard let id = request.message.itemID, let position = self.queue.position(of: id),
            position != self.queue.index
        else { throw .invalidParameters }
        self.preloadedItemID = id
    }

    /// Skips the clip of a break, if it may be skipped by now.
    private mutating func skipAd(at now: NIODeadline) throws(PlayerRefusal) {
        guard let active = self.adBreak, active.isSkippable(at: now), !self.isLoading else { throw .invalidState }
        if self.endClip(at: now) {
            self.adBreak = nil
            self.clock.move(to: self.end ?? 0, at: now)
        }
        self.settle(at: now)
    }
}
