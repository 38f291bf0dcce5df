import CastWire
import GatewayConfig
import NIOCore
import SystemPrimitives

extension SimulatedPlayer {
    /// Between two items passes at least this time, so that a queue of empty items cannot keep the event loop busy.
    private static let minimumBuffering: Duration = .milliseconds(10)

    /// Begins a media session; what was loaded is interrupted. The answer follows when the media is there.
    mutating func begin(_ plan: LoadPlan, for request: PlayerRequest, at now: NIODeadline) {
        if var old = self.session {
            self.end(&old, .interrupted)
            self.broadcastStatus(old, at: now)
        }
        self.lastPlan = plan
        var queue = PlayerQueue()
        queue.insert(plan.items, at: 0, firstID: self.nextItemID)
        self.nextItemID += plan.items.count
        queue.index = plan.startIndex
        queue.repeatMode = plan.repeatMode
        queue.isShuffled = plan.queueData?.isShuffled ?? false
        let rate = Self.bounded(rate: plan.rate ?? self.options.playbackRate) ?? 1
        var session = PlayerSession(
            id: self.nextMediaSessionID, queue: queue, queueData: plan.queueData,
            clock: MediaClock(position: 0, rate: rate, at: now), phase: .ready, wantsPlay: true,
            media: ResolvedMedia(MediaInformation(), defaultDuration: 0))
        self.nextMediaSessionID += 1
        session.pendingLoad = request.id == nil ? nil : request
        self.start(plan.startIndex, in: &session, startTime: plan.startTime, autoplay: plan.autoplay, at: now)
        if let ids = plan.activeTrackIDs { session.activeTrackIDs = session.known(ids) }
        self.broadcastStatus(session, at: now)
        self.session = session
    }

    /// Starts an item of the queue.
    /// - Parameters:
    ///   - startTime: where, nil is as the item says.
    ///   - autoplay: whether it plays, nil is as the item says.
    ///   - reason: why the item before it ended; nil for the first.
    mutating func start(
        _ index: Int, in session: inout PlayerSession, startTime: Double? = nil, autoplay: Bool? = nil,
        after reason: IdleReason? = nil, at now: NIODeadline
    ) {
        session.queue.index = index
        guard let item = session.queue.current?.item else { return }
        let isPreloaded = reason != nil && session.preloadedItemID == item.itemID
        session.preloadedItemID = nil
        session.previousItemEnd = reason
        session.adBreak = nil
        session.live = nil
        session.failureInstant = nil
        session.media = ResolvedMedia(
            item.media ?? MediaInformation(), defaultDuration: self.options.defaultDuration.inSeconds)
        session.queue.setCurrentMedia(session.media.information)
        session.breaks = PlannedBreak.plan(session.media.information)
        if self.options.playsWatchedBreaks {
            for index in session.breaks.indices { session.breaks[index].isWatched = false }
        }
        session.activeTrackIDs = item.activeTrackIDs.map { session.known($0) } ?? self.preferredTracks(of: session)
        // A place before the start is none: a file begins at its start, a live stream at its edge.
        session.requestedStart = [startTime, item.startTime].compactMap(\.self).first { $0 >= 0 }
        session.wantsPlay = autoplay ?? item.autoplay ?? true
        session.failure = self.failure(of: session.media.information)
        let fails = session.failure?.stage == .load
        if isPreloaded, !fails {
            self.load(&session, at: now)
        } else {
            let delay = fails ? max(self.options.loadDelay, session.failure?.after ?? .zero) : self.options.loadDelay
            session.phase = .loading(until: now.later(by: delay), fails: fails)
            session.settle(at: now)
        }
    }

    /// The media is there: it buffers, at its start.
    private mutating func load(_ session: inout PlayerSession, at now: NIODeadline) {
        if session.media.isLive { session.live = self.liveWindow(of: session.media, at: now) }
        let follows = session.previousItemEnd == .finished
        let buffering = follows ? max(self.options.buffering, Self.minimumBuffering) : self.options.buffering
        session.phase = buffering > .zero ? .buffering(until: now.later(by: buffering)) : .ready
        let entry = session.live?.entry(at: now) ?? 0
        let start = session.reachable(session.requestedStart ?? entry, at: now)
        session.clock.run(false, at: now)
        session.clock.move(to: start, at: now)
        session.enterBreak(from: nil, to: start, at: now)
        session.settle(at: now)
    }

    /// The window of a live stream that is joined now.
    func liveWindow(of media: ResolvedMedia, at now: NIODeadline) -> LiveWindow {
        LiveWindow(joinedAt: now, length: self.options.liveWindow.inSeconds, moves: media.information.hasManifest)
    }

    /// How this media fails: as configured, else when no media element would take it.
    func failure(of media: MediaInformation) -> SimulatedFailure? {
        let names = [media.contentID, media.contentURL, media.entity].compactMap { $0 }
        if let failure = self.options.failures.first(where: { failure in names.contains(where: failure.match.matches) })
        {
            return failure
        }
        guard media.isRejectedBySource || self.takesAddressesOnly && media.isLocalPath else { return nil }
        return SimulatedFailure(match: Glob("*")) {
            $0.detailedErrorCode = DetailedErrorCode.mediaSourceNotSupported.rawValue
        }
    }

    // MARK: Events

    /// What happens when the media is there.
    mutating func loaded(_ session: inout PlayerSession, at instant: NIODeadline) {
        self.load(&session, at: instant)
        if let request = session.pendingLoad, let id = request.id {
            session.pendingLoad = nil
            let status = self.statusMessage(
                session, at: instant, id: id, limit: StatusBudget.reply(to: request.sender))
            self.outbox.append(.reply(status, to: request.sender))
        }
        self.broadcastStatus(session, at: instant)
    }

    /// What happens when the media cannot be loaded, or fails while it plays.
    mutating func failed(_ session: inout PlayerSession, at instant: NIODeadline) {
        let code = session.failure?.detailedErrorCode ?? DetailedErrorCode.generic.rawValue
        var payload = JSONObject()
        payload["type"] = .string(MediaResponseType.error.rawValue)
        if let request = session.pendingLoad, let id = request.id {
            payload["type"] = .string(MediaResponseType.loadFailed.rawValue)
            payload["requestId"] = id.json
        }
        payload["itemId"] = .number(session.queue.current?.id ?? 0)
        payload["detailedErrorCode"] = .number(code)
        if let reason = session.failure?.reason { payload["reason"] = .string(reason) }
        if let request = session.pendingLoad {
            session.pendingLoad = nil
            self.outbox.append(.reply(payload, to: request.sender))
        } else if session.previousItemEnd != nil || !session.isLoading {
            // A runtime error answers no request, so it carries no number (protocol notes, quirk 23).
            self.outbox.append(.broadcast(payload))
        }
        self.end(&session, .error)
        self.broadcastStatus(session, at: instant)
    }

    /// Ends a media session; a load that still waits is cancelled.
    mutating func end(_ session: inout PlayerSession, _ reason: IdleReason) {
        if let request = session.pendingLoad, let id = request.id {
            let payload: JSONObject = [
                "type": .string(MediaResponseType.loadCancelled.rawValue), "requestId": id.json,
                "itemId": .number(session.queue.current?.id ?? 0),
            ]
            self.outbox.append(.reply(payload, to: request.sender))
            session.pendingLoad = nil
        }
        session.ending = reason
    }
}
