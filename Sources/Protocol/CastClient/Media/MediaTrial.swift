import CastWire
import NIOCore

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
    /// The message that it was sent as.
    let request: MediaRequest
    /// What was known when it was sent.
    let before: MediaSnapshot
    let sentAt: NIODeadline
    let isRetry: Bool
    /// What is sent after this message.
    let parts: MediaMessageParts

    /// The media session that was there when it was sent.
    var mediaSessionID: Int? { self.before.mediaSessionID }
    /// The medium of a load; of a queue, that of the item that comes first.
    var contentID: String? {
        if let media = self.request.json.object("media") { return MediaInformation(json: media).contentID }
        let queue = self.request.json.object("queueData").map { QueueData(json: $0) }
        let items = queue?.items ?? self.request.items ?? []
        return items.dropFirst(queue?.startIndex ?? self.request.startIndex ?? 0).first?.media?.contentID
    }

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
            let status = MediaStatus.elements(of: reply)?.first
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

    private var isAboutSession: Bool { self.command.session != .none && self.command.body["mediaSessionId"] == nil }
}
