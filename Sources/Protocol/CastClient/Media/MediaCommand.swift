public import CastWire

/// Something to ask of a media app: a message, and what a client must know to send it.
///
/// Make one with the functions of this type, such as ``play(at:)``; every field of ``body`` may be changed, and
/// ``with(customData:)`` adds what the app expects besides.
public struct MediaCommand: Hashable, Sendable {
    /// What only the state of playback can tell.
    enum Form: Hashable, Sendable {
        /// The body is the message.
        case plain
        /// The body is a LOAD that is completed first.
        case load
        /// A seek to the end of what can be reached.
        case liveEdge
        /// New items for a queue that may not exist yet.
        case enqueue([QueueItem], before: Int?)
    }

    /// Whether a command is about a media session.
    enum Session: Hashable, Sendable {
        /// It needs none.
        case none
        /// It names the one there is.
        case optional
        /// Without one it fails.
        case required
    }

    /// The message without `requestId` and `mediaSessionId`, which the client adds.
    public var body: JSONObject
    /// How long the answer may take; nil means as the client's options say.
    public var timeout: Duration?
    let form: Form
    let session: Session
    /// What the receiver must be able to do; checked only when it tells what it can do.
    let needs: SupportedMediaCommands

    init(
        _ type: MediaRequestType, form: Form = .plain, session: Session = .required,
        needs: SupportedMediaCommands = [], _ fill: (inout MediaRequest) -> Void = { _ in }
    ) {
        var request = MediaRequest()
        request.type = type
        fill(&request)
        self.body = request.json
        self.form = form
        self.session = session
        self.needs = needs
    }

    /// The type of the message.
    public var type: MediaRequestType { MediaRequestType(rawValue: self.body.string("type") ?? "") }

    /// The command with something for the app; what was there is replaced.
    public func with(customData: JSONValue) -> MediaCommand {
        var command = self
        command.body["customData"] = customData
        return command
    }

    /// The command with another time to wait for the answer.
    public func with(timeout: Duration) -> MediaCommand {
        var command = self
        command.timeout = timeout
        return command
    }

    /// Any other message of the media namespace, sent as it is.
    ///
    /// - Parameters:
    ///   - type: Such as `PLAY_AGAIN`, `DISPLAY_STATUS`, `FOCUS_STATE`, `CUSTOM_COMMAND`, `PLAY_STRING`,
    ///     `EXECUTE_ACTION_SCRIPT`, `SHOW_REMOTE_CONTROL_OVERLAY`, `CLOUD_STATUS`.
    ///   - fields: Everything else that the message holds.
    ///   - needsMediaSession: Whether it names the media session, and fails without one.
    public static func raw(
        _ type: MediaRequestType, _ fields: JSONObject = [:], needsMediaSession: Bool = false
    ) -> MediaCommand {
        var command = MediaCommand(type, session: needsMediaSession ? .required : .optional)
        for member in fields.members where member.name != "type" && member.name != "requestId" {
            command.body[member.name] = member.value
        }
        return command
    }

    /// Whether the queue may have other items, or another order, when it is carried out.
    var changesQueue: Bool {
        switch self.type {
        case .queueInsert, .queueRemove, .queueReorder, .queueShuffle: true
        case .queueUpdate: self.body["items"] != nil || self.body["shuffle"] != nil
        default: self.isLoad
        }
    }

    /// True for what starts something new; of these only the newest counts.
    var isLoad: Bool { [.load, .loadByEntity, .queueLoad, .resumeSession].contains(self.type) }

    /// Requests of the same kind replace one another (protocol notes, 7); nil for those that replace none.
    public var replacementName: String? {
        if self.isLoad { return "LOAD" }
        return [.seek, .setVolume].contains(self.type) ? self.type.rawValue : nil
    }
}

extension MediaCommand {
    /// Goes on playing.
    /// - Parameter position: where, in seconds; nil means where it is.
    public static func play(at position: Double? = nil) -> MediaCommand {
        if let position { return .seek(to: position, then: .start) }
        return MediaCommand(.play)
    }

    /// Pauses.
    /// - Parameter position: where, in seconds; nil means where it is.
    public static func pause(at position: Double? = nil) -> MediaCommand {
        if let position { return .seek(to: position, then: .pause) }
        return MediaCommand(.pause, needs: .pause)
    }

    /// Ends the media session; one that is over already has been stopped (protocol notes, quirk 18).
    public static func stop() -> MediaCommand { MediaCommand(.stop) }

    /// Goes to a position.
    /// - Parameters:
    ///   - position: Seconds from the start.
    ///   - resumeState: What it leaves behind; nil means what was before.
    public static func seek(to position: Double, then resumeState: ResumeState? = nil) -> MediaCommand {
        MediaCommand(.seek, needs: .seek) { request in
            request.currentTime = position
            request.resumeState = resumeState
        }
    }

    /// Goes forward, or backward below zero, from wherever the player is by then.
    public static func seek(by seconds: Double, then resumeState: ResumeState? = nil) -> MediaCommand {
        MediaCommand(.seek, needs: .seek) { request in
            request.relativeTime = seconds
            request.resumeState = resumeState
        }
    }

    /// Goes to the live edge, or to the end of what has one.
    public static func seekToEnd(then resumeState: ResumeState? = nil) -> MediaCommand {
        MediaCommand(.seek, form: .liveEdge, needs: .seek) { $0.resumeState = resumeState }
    }

    /// The slowest and the fastest rate that receivers take unless an app says otherwise.
    public static let usualPlaybackRates: ClosedRange<Double> = 0.5...2

    /// Plays faster or slower; 1 is normal.
    public static func setPlaybackRate(_ rate: Double) -> MediaCommand {
        MediaCommand(.setPlaybackRate, needs: .playbackRate) { $0.playbackRate = rate }
    }

    /// Multiplies the rate.
    public static func multiplyPlaybackRate(by factor: Double) -> MediaCommand {
        MediaCommand(.setPlaybackRate, needs: .playbackRate) { $0.relativePlaybackRate = factor }
    }

    /// Sets the volume of the stream, which is not the device's.
    /// - Parameter level: From 0 to 1.
    public static func setStreamVolume(_ level: Double) -> MediaCommand {
        MediaCommand(.setVolume, needs: .streamVolume) { request in
            var volume = MediaVolume()
            volume.level = level
            request.volume = volume
        }
    }

    /// Switches the sound of the stream off or on.
    public static func setStreamMuted(_ isMuted: Bool) -> MediaCommand {
        MediaCommand(.setVolume, needs: .streamMute) { request in
            var volume = MediaVolume()
            volume.isMuted = isMuted
            request.volume = volume
        }
    }

    /// Skips the clip of the break that plays.
    public static func skipAd() -> MediaCommand { MediaCommand(.skipAd, needs: .skipAd) }

    /// What a status may leave out.
    public struct StatusOmission: OptionSet, Hashable, Sendable {
        /// The bits as they stand on the wire.
        public let rawValue: Int

        /// Takes bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The metadata of the media.
        public static let metadata = StatusOmission(rawValue: 1)
        /// The items of the queue.
        public static let queueItems = StatusOmission(rawValue: 2)
    }

    /// Asks for the status.
    public static func refreshStatus(leavingOut omission: StatusOmission = []) -> MediaCommand {
        MediaCommand(.getStatus, session: .none) { request in
            if !omission.isEmpty { request.options = omission.rawValue }
        }
    }

    /// Tells what a viewer thinks.
    ///
    /// - Parameters:
    ///   - action: What.
    ///   - context: About what; nil leaves it out.
    ///   - clears: Whether an earlier action is taken back.
    public static func userAction(
        _ action: UserAction, about context: UserActionContext? = nil, clears: Bool? = nil
    ) -> MediaCommand {
        let needs: SupportedMediaCommands =
            switch action {
            case .like: .like
            case .dislike: .dislike
            case .follow: .follow
            case .unfollow: .unfollow
            default: []
            }
        return MediaCommand(.userAction, needs: needs) { request in
            request.userAction = action
            request.userActionContext = context
            request.clears = clears
        }
    }
}

extension MediaCommand {
    /// Makes these tracks the active ones, all others inactive; an empty list switches off what can be.
    ///
    /// Two tracks that exclude one another are refused by the receiver with `INVALID_PARAMS`.
    public static func setActiveTracks(_ ids: [Int]) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { $0.activeTrackIDs = ids }
    }

    /// Chooses the text track by language.
    /// - Parameters:
    ///   - language: A tag as in RFC 5646.
    ///   - isSuggestion: Whether the receiver may take another one.
    public static func setTextLanguage(_ language: String, isSuggestion: Bool? = nil) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { request in
            request.language = language
            request.enablesTextTracks = true
            request.isSuggestedLanguage = isSuggestion
        }
    }

    /// Switches text off, or on as the receiver thinks best.
    public static func setTextEnabled(_ isEnabled: Bool) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { $0.enablesTextTracks = isEnabled }
    }

    /// Chooses the audio track by language.
    /// - Parameters:
    ///   - language: A tag as in RFC 5646.
    ///   - isSuggestion: Whether the receiver may take another one.
    public static func setAudioLanguage(_ language: String, isSuggestion: Bool? = nil) -> MediaCommand {
        MediaCommand(.editAudioTracks, needs: .editTracks) { request in
            request.language = language
            request.isSuggestedLanguage = isSuggestion
        }
    }

    /// Changes how text is shown; what the style leaves out stays as the receiver has it.
    public static func setTextStyle(_ style: TextTrackStyle) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { $0.textTrackStyle = style }
    }
}
