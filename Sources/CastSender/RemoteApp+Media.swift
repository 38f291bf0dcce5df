public import CastWire

extension RemoteApp {
    /// What is loaded and how it plays.
    /// - Throws: ``SenderError``.
    public func mediaStatus() async throws(SenderError) -> MediaReply {
        try Self.mediaReply(
            to: try await self.device.request(["type": "GET_STATUS"], in: .media, to: self.transportID))
    }

    /// Loads media and waits until it plays, or until the app gives up.
    /// - Throws: ``SenderError/loadFailed(code:reason:)``, ``SenderError/loadCancelled`` and the others.
    @discardableResult
    public func load(_ request: LoadRequest) async throws(SenderError) -> MediaReply {
        var json: JSONObject = ["type": "LOAD"]
        if let sessionID = self.application.sessionID { json["sessionId"] = .string(sessionID) }
        for member in request.json.members { json[member.name] = member.value }
        let contentID = request.media?.contentID
        let answer = try await self.device.request(
            json, in: .media, to: self.transportID, timeout: self.device.options.startTimeout,
            orTaking: { message in
                // Some apps tell of their success without the number of the request.
                guard let status = MediaReply(message.payload)?.status, status.media?.contentID == contentID else {
                    return false
                }
                return status.playerState == .playing || status.playerState == .paused
            })
        let reply = try Self.mediaReply(to: answer)
        if let status = reply.status, status.playerState == .idle, status.json.string("idleReason") == "ERROR" {
            throw .loadFailed(code: nil, reason: nil)
        }
        return reply
    }

    /// Sends a command to the media that is loaded.
    ///
    /// - Parameter request: The command; it gets the media session that is loaded unless it names one.
    /// - Throws: ``SenderError/nothingLoaded``, ``SenderError/refused(type:reason:)`` and the others.
    @discardableResult
    public func command(_ request: MediaRequest) async throws(SenderError) -> MediaReply {
        var request = request
        if request.mediaSessionID == nil {
            guard let session = try await self.mediaStatus().status?.mediaSessionID else { throw .nothingLoaded }
            request.mediaSessionID = session
        }
        return try Self.mediaReply(
            to: try await self.device.request(request.json, in: .media, to: self.transportID))
    }

    private static func mediaReply(to answer: CastMessage) throws(SenderError) -> MediaReply {
        guard let json = answer.payload.jsonObject else { throw .refused(type: "no JSON", reason: nil) }
        let reason = json.string("reason")
        switch json.string("type").map(MediaResponseType.init(rawValue:)) {
        case .mediaStatus:
            return MediaReply(json: json)
        case .loadFailed, .error:
            let code = json.int("detailedErrorCode").map(DetailedErrorCode.init(rawValue:))
            throw .loadFailed(code: code, reason: reason)
        case .loadCancelled:
            throw .loadCancelled
        case let type:
            throw .refused(type: type?.rawValue ?? "no type", reason: reason)
        }
    }
}
