import CastWire
import NIOCore

/// What the app says.
extension MediaClientState {
    /// Takes a message of the app's in ``Namespace/media``.
    mutating func received(_ payload: CastMessage.Payload, at now: NIODeadline) -> [Action] {
        guard self.phase == .attached, let json = payload.jsonObject else { return [] }
        let ended = self.tracker.received(json, in: .media, from: self.endpoint)
        switch json.string("type").map(MediaResponseType.init(rawValue:)) {
        case .mediaStatus?:
            self.received(status: json, answering: ended?.ticket, at: now)
        case .queueItemIDs?:
            self.received(queueIDs: json)
        case .queueItems?:
            self.tellQueue(self.queue.received(items: MediaRequest(json: json).items ?? []))
        case .queueChange?:
            self.received(QueueChange(json: json), at: now)
        case .error?, .loadFailed?:
            // Runtime errors bear no number (protocol notes, quirk 23), and a load may fail after its request ended.
            if ended == nil, let error = RequestError(reply: json) { self.actions.append(.emit(.error(error))) }
        case .invalidRequest?, .invalidPlayerState?, .loadCancelled?, .sessionState?:
            break
        default:
            if ended == nil { self.actions.append(.emit(.message(json))) }
        }
        if let ended { self.end([ended], at: now) }
        return self.takeActions()
    }

    private mutating func received(status json: JSONObject, answering purpose: Purpose?, at now: NIODeadline) {
        let elements = (json.array("status") ?? []).compactMap(\.objectValue).map { MediaStatus(json: $0) }
        var omission: MediaCommand.StatusOmission = []
        if case .command(let trial)? = purpose, trial.command.type == .getStatus {
            omission = .init(rawValue: MediaRequest(json: trial.command.body).options ?? 0)
        }
        let change = self.model.received(elements, leavingOut: omission, at: now)
        if let items = self.snapshot.status?.items, self.queue.itemIDs != nil {
            self.tellQueue(self.queue.received(items: items))
        }
        self.tell(change, isStatus: true, at: now)
        self.completeLoad(by: json, at: now)
        self.learnedStatus(at: now)
    }

    /// Some apps tell of a load's success without its number.
    private mutating func completeLoad(by json: JSONObject, at now: NIODeadline) {
        let snapshot = self.snapshot
        guard snapshot.playerState == .playing || snapshot.playerState == .paused,
            let contentID = snapshot.media?.contentID
        else { return }
        let ended = self.tracker.complete(json) { purpose in
            guard case .command(let trial) = purpose, let loaded = trial.contentID else { return false }
            return loaded == contentID && trial.mediaSessionID != snapshot.mediaSessionID
        }
        if let ended { self.end([ended], at: now) }
    }

    // MARK: The end of requests

    /// Tells the callers, or tries once more.
    mutating func end(_ ended: [RequestTracker<Purpose>.Ended], at now: NIODeadline) {
        for request in ended {
            switch request.ticket {
            case .command(let trial): self.end(trial, request.outcome, at: now)
            case .refresh(let trial): self.endRefresh(trial, request.outcome, at: now)
            case .queueIDs:
                if self.areQueueIDsOutdated, self.phase == .attached { self.fetchQueueIDs(at: now) }
            case .queueItems(let ids): self.endFetch(of: ids, request.outcome, at: now)
            }
        }
    }

    private mutating func end(_ trial: Trial, _ outcome: RequestOutcome, at now: NIODeadline) {
        var outcome = outcome
        switch outcome {
        case .failed(let error) where self.isAboutSession(trial.command):
            let isStale = error.reason == MediaErrorReason.invalidMediaSessionID.rawValue
            if trial.command.type == .stop, isStale || error.code == .invalidMediaPlayerState {
                // What is to be stopped is over (protocol notes, quirk 18).
                outcome = .completed(JSONObject())
            } else if isStale, !trial.isRetry, self.phase == .attached {
                return self.refresh(trial, at: now)
            }
        case .completed(let reply) where trial.command.isLoad:
            let status = reply.array("status")?.first?.objectValue.map { MediaStatus(json: $0) }
            if let status, status.playerState == .idle, status.idleReason == .error, status.extendedStatus == nil {
                outcome = .failed(RequestError(.mediaLoadFailed, "the app cannot play this"))
            }
        default: break
        }
        self.actions.append(.finish(ticket: trial.ticket, outcome))
    }

    private func isAboutSession(_ command: MediaCommand) -> Bool {
        command.session != .none && command.body["mediaSessionId"] == nil
    }

    private mutating func endRefresh(_ trial: Trial?, _ outcome: RequestOutcome, at now: NIODeadline) {
        guard let trial else { return self.learnedStatus(at: now) }
        switch outcome {
        case .completed
        where self.snapshot.mediaSessionID != nil
            && self.snapshot.mediaSessionID != trial.mediaSessionID:
            self.send(trial.command, ticket: trial.ticket, isRetry: true, at: now)
        case .completed:
            let error = RequestError(
                .noMediaSession, "the media session is over",
                reason: MediaErrorReason.invalidMediaSessionID.rawValue)
            self.actions.append(.finish(ticket: trial.ticket, .failed(error)))
        case .failed, .aborted, .timedOut:
            self.actions.append(.finish(ticket: trial.ticket, outcome))
        }
    }
}
