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

    /// True for what starts something new; of these only the newest counts.
    var isLoad: Bool { [.load, .loadByEntity, .queueLoad, .resumeSession].contains(self.type) }

    /// Requests of the same kind replace one another (protocol notes, 7).
    var replacementName: String? {
        if self.isLoad { return "LOAD" }
        return [.seek, .setVolume].contains(self.type) ? self.type.rawValue : nil
    }
}
