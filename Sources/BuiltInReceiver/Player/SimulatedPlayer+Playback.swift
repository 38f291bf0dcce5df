import CastWire
import NIOCore

extension SimulatedPlayer {
    /// The speeds of the default receiver.
    static let rates: ClosedRange<Double> = 0.5...2

    /// A speed that the player has, or nil when it is none at all.
    static func bounded(rate: Double) -> Double? {
        rate > 0 ? min(max(rate, Self.rates.lowerBound), Self.rates.upperBound) : nil
    }

    mutating func setPlaying(_ plays: Bool, _ session: inout PlayerSession, at now: NIODeadline) {
        session.wantsPlay = plays
        // What is paused while it buffers is paused at once.
        if !plays, case .buffering = session.phase { session.phase = .ready }
        session.settle(at: now)
    }

    mutating func seek(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        guard session.adBreak == nil else { throw .invalidState }
        let message = request.message
        let resume = try request.checked("resumeState", message.resumeState)
        if let resume, resume != .start, resume != .pause { throw .invalidParameters }
        let relative = try request.checked("relativeTime", message.relativeTime)
        let absolute = try request.checked("currentTime", message.currentTime)
        let position = session.isLoading ? session.requestedStart ?? 0 : session.position(at: now)
        let target: Double
        switch (relative, absolute) {
        case (let relative?, _): target = position + relative
        case (nil, let absolute?): target = absolute
        case (nil, nil):
            // A live stream goes to its edge then.
            guard session.media.isLive || resume != nil else { throw .invalidParameters }
            target = session.media.isLive ? .infinity : position
        }
        if let resume { session.wantsPlay = resume == .start }
        if session.isLoading {
            session.requestedStart = target.isNaN ? nil : target
            return
        }
        let reached = session.reachable(target.isNaN ? position : target, at: now)
        session.clock.run(false, at: now)
        session.clock.move(to: reached, at: now)
        session.enterBreak(from: position, to: reached, at: now)
        let buffers = session.wantsPlay && self.options.buffering > .zero
        session.phase = buffers ? .buffering(until: now.later(by: self.options.buffering)) : .ready
        session.settle(at: now)
    }

    mutating func setVolume(_ request: PlayerRequest) throws(PlayerRefusal) {
        let volume = request.message.volume
        let level = volume?.level
        let muted = volume?.isMuted
        guard level != nil || muted != nil else { throw .invalidParameters }
        if let level { self.volume.level = min(max(level, 0), 1) }
        if let muted { self.volume.isMuted = muted }
    }

    mutating func setPlaybackRate(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        let absolute = try request.checked("playbackRate", request.message.playbackRate)
        let relative = request.message.relativePlaybackRate.map { $0 * session.clock.rate }
        guard let asked = absolute ?? relative, let rate = Self.bounded(rate: asked) else { throw .invalidParameters }
        session.clock.move(to: session.clock.isRunning ? session.position(at: now) : session.clock.anchor, at: now)
        session.clock.setRate(rate, at: now)
    }

    mutating func userAction(
        _ request: PlayerRequest, _ session: inout PlayerSession, at now: NIODeadline
    ) throws(PlayerRefusal) {
        guard let action = request.message.userAction, action.isKnown else { throw .invalidParameters }
        if action == .skipAd { return try self.skipAd(&session, at: now) }
        let clears = request.message.clears ?? false
        session.updateMedia { media in
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

    mutating func preload(_ request: PlayerRequest, _ session: inout PlayerSession) throws(PlayerRefusal) {
        guard let id = request.message.itemID, let position = session.queue.position(of: id),
            position != session.queue.index
        else { throw .invalidParameters }
        session.preloadedItemID = id
    }

    /// Skips the clip of a break, if it may be skipped by now.
    mutating func skipAd(_ session: inout PlayerSession, at now: NIODeadline) throws(PlayerRefusal) {
        guard let active = session.adBreak, active.isSkippable(at: now), !session.isLoading else { throw .invalidState }
        if session.endClip(at: now) {
            session.adBreak = nil
            session.clock.move(to: session.end ?? 0, at: now)
        }
        session.settle(at: now)
    }
}
