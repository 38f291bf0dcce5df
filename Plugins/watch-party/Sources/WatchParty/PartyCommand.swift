import PluginKit

/// What a device is to do, so that it is in step.
struct PartyCommand: Hashable {
    enum Action: Hashable {
        case play
        case pause
        /// To a position in seconds, and what it leaves behind.
        case seek(Double, plays: Bool)
    }

    var device: String
    var session: String?
    var mediaSession: Int
    var action: Action

    /// The request in the media namespace.
    func request(_ id: RequestID) -> CastMessage.Payload {
        var request = MediaRequest()
        request.mediaSessionID = self.mediaSession
        switch self.action {
        case .play: request.type = .play
        case .pause: request.type = .pause
        case .seek(let position, let plays):
            request.type = .seek
            request.currentTime = position
            request.resumeState = plays ? .start : .pause
        }
        request.json["requestId"] = id.json
        return .json(request.json)
    }
}
