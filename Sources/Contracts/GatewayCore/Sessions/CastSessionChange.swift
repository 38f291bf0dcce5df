public import CastWire

/// What happened to a session, in the terms of the Cast SDKs' session listeners.
public enum CastSessionChange: Hashable, Sendable {
    /// How an app's launch waits for the consent of the device's user (protocol notes, 5.4).
    public enum Consent: String, Hashable, Sendable, CaseIterable {
        /// The device asks its user.
        case pending
        /// The launch goes on.
        case allowed
        /// The user said no.
        case notAllowed
    }

    /// The change in one of five words, for senders that need no more.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// It runs.
        case started
        /// It runs again.
        case resumed
        /// It does not run any more, or is suspended.
        case ended
        /// It could not be started.
        case failedToStart = "failed_to_start"
        /// Media is loaded on a session that was there already.
        case alreadyConnected = "already_connected"
    }

    /// It is about to be started.
    case willStart
    /// The app runs and can be spoken to.
    case didStart
    /// It could not be started.
    case didFailToStart(SessionFailure)
    /// It is about to be resumed.
    case willResume(SessionResumeCause)
    /// The app can be spoken to again.
    case didResume(SessionResumeCause)
    /// It could not be resumed; it ends.
    case didFailToResume(SessionFailure)
    /// It was suspended, and may be resumed.
    case didSuspend(SessionSuspendReason)
    /// It is about to be ended on request.
    case willEnd(SessionEndAction)
    /// It has ended: on request, when there is no failure.
    case didEnd(SessionFailure?)
    /// The launch waits for the consent of the device's user, or got an answer.
    case launchStatus(Consent)
    /// The app's line on what it does has changed.
    case deviceStatus(String)
    /// The device's volume has changed.
    case volume(level: Double?, muted: Bool?)
    /// Whether the screen shows the device has changed; nil when the device does not tell.
    case activeInput(Bool?)
    /// Whether the screen is off has changed; nil when the device does not tell.
    case standby(Bool?)
    /// What the device says of the app has changed: its name, picture, namespaces, or where it is reached.
    case appMetadata
    /// Members of the group came, changed or went; these are the members now.
    case members([MultizoneDevice])
    /// Media is about to be loaded on a session that was there already.
    case alreadyConnected

    /// The change's name on every interface, such as `session.did_start`.
    public var name: String { CastSessionFacts.blank.declaration(of: self).name }

    /// The change in one of five words; nil when it is none of them. Being suspended counts as having ended.
    public var word: Word? {
        switch self {
        case .didStart: .started
        case .didResume: .resumed
        case .didEnd, .didSuspend: .ended
        case .didFailToStart: .failedToStart
        case .alreadyConnected: .alreadyConnected
        default: nil
        }
    }
}

/// What happened to the media of a session of Castway's own. Positions in time are not part of it: a
/// subscriber computes them from the status.
public enum CastMediaChange: Hashable, Sendable {
    /// The status: one element of MEDIA_STATUS with all that receivers leave out as unchanged; nil when nothing is loaded.
    case status(JSONObject?)
    /// Another medium, or another description of it: the `media` object; nil when nothing is loaded.
    case metadata(JSONObject?)
    /// A media session began.
    case started(mediaSessionID: Int)
    /// A media session is over; the reason is the receiver's word, nil when it said none. The last is how it was before.
    case ended(mediaSessionID: Int, reason: String?, last: LastPlayback? = nil)
    /// Another item is prepared as the next one.
    case preload(itemID: Int?)
    /// The queue changed; the ids of its items, nil while they are not known, and what happened to them.
    case queue(itemIDs: [Int]?, changes: [CastQueueChange] = [])
    /// Something failed that no request waits for.
    case failed(code: CastErrorCode, reason: String)

    /// The change's name on every interface, such as `media.metadata`.
    public var name: String { CastSessionFacts.blank.declaration(of: self).name }
}

extension CastSessionChange: EventFamily {
    package static let examples: [CastSessionChange] = [
        .willStart, .didStart, .didFailToStart(.blank), .willResume(.network), .didResume(.network),
        .didFailToResume(.blank), .didSuspend(.unknown), .willEnd(.stop), .didEnd(nil), .deviceStatus(""),
        .appMetadata, .alreadyConnected, .launchStatus(.pending), .volume(level: 0, muted: nil), .activeInput(nil),
        .standby(nil), .members([]),
    ]
}

extension CastMediaChange: EventFamily {
    package static let examples: [CastMediaChange] = [
        .status([:]), .metadata(nil), .started(mediaSessionID: 0), .ended(mediaSessionID: 0, reason: nil),
        .preload(itemID: nil), .queue(itemIDs: []), .failed(code: .timeout, reason: ""),
    ]
}

extension CastSessionFacts {
    static let blank = CastSessionFacts(number: 0, device: "", appID: "", state: .disconnected)

    func declaration(of change: CastSessionChange) -> EventDeclaration {
        switch change {
        case .willStart: self.whole("session.will_start", change) { "A session is about to be started" }
        case .didStart:
            self.whole("session.did_start", change, isForPlugins: true) {
                "The app of a session runs and can be spoken to"
            }
        case .didFailToStart(let failure):
            self.whole("session.did_fail_to_start", change, isLast: true, isForPlugins: true) {
                "A session could not be started"
                failure.fields
            }
        case .willResume(let cause):
            self.whole("session.will_resume", change) {
                "A session is about to be resumed"
                self.resumed(cause)
            }
        case .didResume(let cause):
            self.whole("session.did_resume", change, isForPlugins: true) {
                "The app of a session can be spoken to again"
                self.resumed(cause)
            }
        case .didFailToResume(let failure):
            self.whole("session.did_fail_to_resume", change, isLast: true, isForPlugins: true) {
                "A session could not be resumed, and ends"
                failure.fields
            }
        case .didSuspend(let reason):
            self.whole("session.did_suspend", change, isForPlugins: true) {
                "A session was suspended, and may be resumed"
                EventField.plugin("reason", .string(reason.name))
            }
        case .willEnd(let action):
            self.whole("session.will_end", change) {
                "A session is about to be ended on request"
                EventField("action", action, "What becomes of the app")
            }
        case .didEnd(let failure):
            self.whole("session.did_end", change, isLast: true, isForPlugins: true) {
                "A session has ended; on request, when there is no `code`"
                (failure ?? .blank).fields.map { $0.optional(isThere: failure != nil) }
                EventField.closeReason(failure?.closeReason)
                LastPlayback.field(self.last)
            }
        case .deviceStatus:
            self.whole("session.device_status", change) { "The app's line on what it does has changed" }
        case .appMetadata:
            self.whole("session.app_metadata", change, isForPlugins: true) {
                "What the device says of the app has changed"
            }
        case .alreadyConnected:
            self.whole("session.already_connected", change) {
                "Media is about to be loaded on a session that was there already"
            }
        case .launchStatus(let consent):
            self.news("session.launch_status", size: .small) {
                "A launch waits for the consent of the device's user, or got an answer"
                EventField.category(self.category)
                EventField("consent", consent, "How it stands")
            }
        case .volume(let level, let muted):
            self.latest("session.volume", .volume, isLast: level == nil && muted == nil) {
                "The device's volume has changed"
                EventField.category(self.category)
                EventField.own
                EventField.optional("level", level, "From 0 to 1; missing when the device does not tell")
                EventField.optional("muted", muted, "Whether it is muted; missing when the device does not tell")
            }
        case .activeInput(let isActive):
            self.news("session.active_input", size: .small) {
                "Whether the screen shows the device has changed"
                EventField.category(self.category)
                EventField.optional("is_active", isActive, "Missing when the device does not tell")
            }
        case .standby(let isStandby):
            self.news("session.standby", size: .small) {
                "Whether the screen is off has changed"
                EventField.category(self.category)
                EventField.optional("is_standby", isStandby, "Missing when the device does not tell")
            }
        case .members(let members):
            self.latest("session.members", .group) {
                "Members of the group came, changed or went"
                EventField.category(self.category)
                EventField.own
                EventField.optional(
                    "members", members.map(\.json),
                    "The members now, as the device tells them; missing when the session has ended")
            }
        }
    }

    func declaration(of change: CastMediaChange) -> EventDeclaration {
        switch change {
        case .status(let status):
            self.latest(
                "media.session_status", .media, isLast: status == nil, size: status.map { .json(.object($0)) } ?? .large
            ) {
                "What plays in a session has changed"
                EventField.own
                EventField.mediaStatus(status)
                EventField.position
            }
        case .metadata(let media):
            self.news("media.metadata", size: media.map { .json(.object($0)) } ?? .large) {
                "Another medium plays, or is described otherwise"
                EventField.optional("media", media, "Its `media` object; missing when nothing is loaded")
            }
        case .started(let id):
            self.news("media.session_started") {
                "A media session began"
                EventField("media_session_id", id, "The device's number of what plays")
            }
        case .ended(let id, let reason, let last):
            self.news("media.session_ended") {
                "A media session is over"
                EventField("media_session_id", id, "The device's number of what played")
                EventField.optional(
                    "reason", reason.map { IdleReason(rawValue: $0).word },
                    "Why: `cancelled`, `interrupted`, `finished` or `error`, or a word of the receiver's own; missing when it said none"
                )
                LastPlayback.field(last)
            }
        case .preload(let item):
            self.news("media.preload") {
                "Another item is prepared as the next one"
                EventField.optional("item_id", item, "The item; missing when none is")
            }
        case .queue(let items, let changes):
            self.latest("media.queue", .queue, isLast: items == nil, size: .large) {
                "The queue of a session changed"
                EventField.own
                EventField.optional(
                    "item_ids", items.map { Array($0.prefix(1000)) },
                    "Its items, the first 1000 of them; missing when there is no queue, or the app does not tell them")
                EventField.optional("total", items?.count, "How many items there are; missing as `item_ids` are")
                CastQueueChange.field(changes)
            }
        case .failed(let code, let reason):
            self.news("media.error") {
                "Something failed that no request waits for"
                EventField.code(code)
                EventField.castCode(code)
                EventField.reason(reason)
            }
        }
    }

    /// An event with all that is known of the session.
    private func whole(
        _ name: String, _ change: CastSessionChange, isLast: Bool = false, isForPlugins: Bool = false,
        @EventBody.Builder _ body: @escaping @Sendable () -> EventBody
    ) -> EventDeclaration {
        EventDeclaration(
            name, .state(.session, id: "\(self.number)", isLast: isLast), .realDevice(self.device),
            mayHaveCause: true, plugins: isForPlugins ? .granted(.own) : .none
        ) {
            let said = body()
            said.summary
            self.sessionNumber
            EventField.category(self.category)
            EventField("app", self.appID.rawValue, "The id of the app")
            EventField("state", self.state, "How far it is")
            EventField.optional(
                "status", change.word,
                "The change in one word, for readers that need no more; being suspended counts as having ended"
            ).forPlugins(as: nil)
            EventField.optional(
                "suspend_reason", self.suspendReason == .none ? nil : self.suspendReason.name, "Why it is suspended"
            ).forPlugins(as: nil)
            EventField.optional("session_id", self.sessionID, "The device's id of the session")
                .forPlugins(as: "session")
            EventField.optional("transport_id", self.transportID?.rawValue, "The app's end of virtual connections")
                .forPlugins(as: "transport")
            EventField.optional("display_name", self.app?.displayName, "The app's name").forPlugins(as: "name")
            EventField.optional("status_text", self.app?.statusText, "The app's line on what it does")
                .forPlugins(as: nil)
            EventField.optional("namespaces", self.app?.namespaces.map(\.rawValue), "What the app understands")
            said.fields
        }
    }

    private func news(
        _ name: String, size: EventDeclaration.Size = .large,
        @EventBody.Builder _ body: @escaping @Sendable () -> EventBody
    ) -> EventDeclaration {
        EventDeclaration(
            name, .log, .realDevice(self.device), mayHaveCause: true, size: size, peer: .init()
        ) {
            body().after([self.sessionNumber])
            EventField.standsFor
        }
    }

    /// The latest value of something of the session.
    private func latest(
        _ name: String, _ resource: EventResource, isLast: Bool = false, size: EventDeclaration.Size = .small,
        @EventBody.Builder _ body: @escaping @Sendable () -> EventBody
    ) -> EventDeclaration {
        EventDeclaration(
            name, .state(resource, id: "\(self.number)", isLast: isLast), .realDevice(self.device),
            mayHaveCause: true, size: size
        ) { body().after([self.sessionNumber]) }
    }

    private var sessionNumber: EventField {
        EventField("session", self.number, "The number of the session").forPlugins(as: "number")
    }

    private func resumed(_ cause: SessionResumeCause) -> [EventField] {
        [
            EventField("cause", cause, "What brought it back").forPlugins(as: nil),
            .optional(
                "previous_device", cause == .transfer ? self.previousDevice : nil,
                "The device from which playback was moved here, with the cause `transfer`"
            ).forPlugins(as: nil),
        ]
    }
}

extension SessionFailure {
    fileprivate static let blank = SessionFailure(.timeout, "")

    fileprivate var fields: [EventField] {
        [
            .code(self.code), .castCode(self.code), .reason(self.message),
            .optional("device_reason", self.reason, "The device's own word for it").forPlugins(as: nil),
            .optional("extra_info", self.extraInfo, "What a refused launch adds to it").forPlugins(as: nil),
            .runningApp(self.app),
        ]
    }
}

extension EventField {
    fileprivate static let own = EventField(
        "via", MessageVia.own.rawValue, "It reached a session of the gateway's own",
        as: .word([MessageVia.own.rawValue]))
}
