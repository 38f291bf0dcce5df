import CastWire

/// A command on its way, and what it is tried with.
struct MediaTrial: Sendable {
    /// What is to be done when a request of the trial's has ended.
    enum Step {
        /// The caller is told.
        case finish(RequestOutcome)
        /// The status is asked for, since the media session was another one.
        case refresh
        /// The command is sent once more.
        case retry
    }

    let ticket: Int
    let command: MediaCommand
    /// The media session that was there when it was sent.
    let mediaSessionID: Int?
    /// The medium of a LOAD.
    let contentID: String?
    let isRetry: Bool

    /// What follows from the end of the command's own request.
    /// - Parameter mayRefresh: whether the app can be asked.
    func step(after outcome: RequestOutcome, mayRefresh: Bool) -> Step {
        switch outcome {
        case .failed(let error) where self.isAboutSession:
            let isStale = error.reason == MediaErrorReason.invalidMediaSessionID.rawValue
            if self.command.type == .stop, isStale || error.code == .invalidMediaPlayerState {
                // What is to be stopped is over (protocol notes, quirk 18).
                return .finish(.completed(JSONObject()))
            }
            return isStale && !self.isRetry && mayRefresh ? .refresh : .finish(outcome)
        case .completed(let reply) where self.command.isLoad:
            let status = reply.array("status")?.first?.objectValue.map { MediaStatus(json: $0) }
            if let status, status.playerState == .idle, status.idleReason == .error, status.extendedStatus == nil {
                return .finish(.failed(RequestError(.mediaLoadFailed, "the app cannot play this")))
            }
            return .finish(outcome)
        default: return .finish(outcome)
        }
    }

    /// What follows from the end of the refresh that the trial asked for.
    /// - Parameter session: the media session that is there now.
    func step(afterRefresh outcome: RequestOutcome, session: Int?) -> Step {
        guard case .completed = outcome else { return .finish(outcome) }
        if session != nil, session != self.mediaSessionID { return .retry }
        let error = RequestError(
            .noMediaSession, "the media session is over", reason: MediaErrorReason.invalidMediaSessionID.rawValue)
        return .finish(.failed(error))
    }

    /// Whether what is known now says that the medium was loaded. Some apps tell of it without the request's number.
    func isLoaded(in snapshot: MediaSnapshot) -> Bool {
        guard snapshot.playerState == .playing || snapshot.playerState == .paused, let contentID else { return false }
        return contentID == snapshot.media?.contentID && self.mediaSessionID != snapshot.mediaSessionID
    }

    private var isAboutSession: Bool { self.command.session != .none && self.command.body["mediaSessionId"] == nil }
}
