public import CastWire

extension MediaCommand {
    /// Loads media, or a queue.
    ///
    /// `autoplay` has three states: absent means true, a value means itself, and JSON's `null` leaves it to the first item of
    /// the queue; see ``leavingAutoplayToItems(_:)``. A `currentTime` that is no number is left out. Fails before anything is
    /// sent when there is nothing to play.
    public static func load(_ request: LoadRequest) -> MediaCommand {
        var command = MediaCommand(.load, form: .load, session: .none)
        for member in request.json.members where member.name != "type" { command.body[member.name] = member.value }
        return command
    }

    /// Loads one medium.
    public static func load(
        _ media: MediaInformation, autoplay: Bool = true, at position: Double? = nil, rate: Double? = nil,
        activeTrackIDs: [Int]? = nil
    ) -> MediaCommand {
        var request = LoadRequest()
        request.media = media
        request.autoplay = autoplay
        request.currentTime = position
        request.playbackRate = rate
        request.activeTrackIDs = activeTrackIDs
        return .load(request)
    }

    /// The request whose playback begins as the first item of its queue says; a single medium does not start.
    public static func leavingAutoplayToItems(_ request: LoadRequest) -> LoadRequest {
        var request = request
        request.json["autoplay"] = .null
        return request
    }

    /// Loads what a deep link names.
    public static func load(entity: String, shuffled: Bool? = nil, options: JSONObject? = nil) -> MediaCommand {
        MediaCommand(.loadByEntity, session: .none) { request in
            request.entity = entity
            request.shuffles = shuffled
            request.json["loadOptions"] = options.map(JSONValue.object)
        }
    }

    /// Prepares a medium to follow an item.
    public static func preload(_ media: MediaInformation, itemID: Int) -> MediaCommand {
        MediaCommand(.preload, session: .optional) { request in
            request.json["media"] = .object(media.json)
            request.itemID = itemID
        }
    }

    /// Lets the app fetch something early; what the text means is the app's affair.
    public static func precache(_ data: String) -> MediaCommand {
        MediaCommand(.precache, session: .none) { $0.json["precacheData"] = .string(data) }
    }

    /// Hands the app other credentials.
    public static func setCredentials(
        _ credentials: LoadCredentials, forRequest id: Int? = nil, source: Int? = nil
    ) -> MediaCommand {
        MediaCommand(.setCredentials, session: .none) { request in
            request.json["credentials"] = .string(credentials.credentials)
            request.json["credentialsType"] = credentials.type.map(JSONValue.string)
            request.json["forRequestId"] = id.map { .number($0) }
            request.json["source"] = source.map { .number($0) }
        }
    }

    /// Asks for a state from which another device can go on (protocol notes, 8.5).
    public static func storeSession() -> MediaCommand { MediaCommand(.storeSession) }

    /// Goes on from a state of another device (protocol notes, 8.5).
    public static func resumeSession(_ state: SessionState) -> MediaCommand {
        MediaCommand(.resumeSession, session: .none) { $0.sessionState = state }
    }
}
