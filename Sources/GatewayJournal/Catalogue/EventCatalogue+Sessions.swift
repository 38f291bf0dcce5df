import GatewayCore
import GatewayOperations

/// Events of the gateway's own sessions with apps on real devices.
extension EventCatalogue {
    static let sessions: [EventDeclaration] = [
        Self.session("session.will_start", "A session is about to be started"),
        Self.session("session.did_start", "The app of a session runs and can be spoken to"),
        Self.session(
            "session.did_fail_to_start", endsResource: true, "A session could not be started", Self.failure),
        Self.session("session.will_resume", "A session is about to be resumed", [Self.cause, Self.previousDevice]),
        Self.session(
            "session.did_resume", "The app of a session can be spoken to again", [Self.cause, Self.previousDevice]),
        Self.session(
            "session.did_fail_to_resume", endsResource: true, "A session could not be resumed, and ends", Self.failure),
        Self.session("session.did_suspend", "A session was suspended, and may be resumed"),
        Self.session(
            "session.will_end", "A session is about to be ended on request",
            [.init("action", .word(SessionEndAction.allCases.map(\.rawValue)), "What becomes of the app")]),
        Self.session(
            "session.did_end", endsResource: true, "A session has ended; on request, when there is no `code`",
            Self.failure.map { .optional($0.name, $0.kind, $0.meaning) } + [Self.closeReason, Self.last]),
        Self.session("session.device_status", "The app's line on what it does has changed"),
        Self.session("session.app_metadata", "What the device says of the app has changed"),
        Self.session("session.already_connected", "Media is about to be loaded on a session that was there already"),
        EventDeclaration(
            "session.launch_status", .log, .realDevice,
            "A launch waits for the consent of the device's user, or got an answer",
            [
                Self.number, Self.category,
                .init("consent", .word(CastSessionChange.Consent.allCases.map(\.rawValue)), "How it stands"),
                Self.standsFor,
            ]),
        EventDeclaration(
            "session.volume", .state(.volume), .realDevice, "The device's volume has changed",
            [
                Self.number, Self.category, Self.via,
                .optional("level", .number, "From 0 to 1; missing when the device does not tell"),
                .optional("muted", .boolean, "Whether it is muted; missing when the device does not tell"),
            ]),
        EventDeclaration(
            "session.active_input", .log, .realDevice, "Whether the screen shows the device has changed",
            [
                Self.number, Self.category, .optional("is_active", .boolean, "Missing when the device does not tell"),
                Self.standsFor,
            ]),
        EventDeclaration(
            "session.standby", .log, .realDevice, "Whether the screen is off has changed",
            [
                Self.number, Self.category, .optional("is_standby", .boolean, "Missing when the device does not tell"),
                Self.standsFor,
            ]),
        EventDeclaration(
            "session.members", .state(.group), .realDevice, "Members of the group came, changed or went",
            [
                Self.number, Self.category, Self.via,
                .optional(
                    "members", .list(.map(.anything)),
                    "The members now, as the device tells them; missing when the session has ended"),
            ]),
    ]

    static let media: [EventDeclaration] = [
        EventDeclaration(
            "media.session_status", .state(.media), .realDevice, "What plays in a session has changed",
            [
                Self.number, Self.via,
                .optional(
                    "status", .map(.anything),
                    "An element of MEDIA_STATUS with what receivers leave out as unchanged; missing when nothing is loaded"
                ),
            ] + Self.position),
        Self.media(
            "media.metadata", "Another medium plays, or is described otherwise",
            [.optional("media", .map(.anything), "Its `media` object; missing when nothing is loaded")]),
        Self.media(
            "media.session_started", "A media session began",
            [.init("media_session_id", .integer, "The device's number of what plays")]),
        Self.media(
            "media.session_ended", "A media session is over",
            [
                .init("media_session_id", .integer, "The device's number of what played"),
                .optional(
                    "reason", .text,
                    "Why: `cancelled`, `interrupted`, `finished` or `error`, or a word of the receiver's own; missing when it said none"
                ),
                Self.last,
            ]),
        Self.media(
            "media.preload", "Another item is prepared as the next one",
            [.optional("item_id", .integer, "The item; missing when none is")]),
        EventDeclaration(
            "media.queue", .state(.queue), .realDevice, "The queue of a session changed",
            [
                Self.number, Self.via,
                .optional(
                    "item_ids", .list(.integer),
                    "Its items, the first 1000 of them; missing when there is no queue, or the app does not tell them"),
                .optional("total", .integer, "How many items there are; missing as `item_ids` are"),
                .optional(
                    "changes",
                    .list(
                        .object([
                            .init(
                                "change", .word(CastQueueChange.Kind.allCases.map(\.rawValue)),
                                "What happened; `reloaded` when everything may be different"),
                            .optional("items", .list(.integer), "The ids of the items that it happened to"),
                            .optional(
                                "indexes", .list(.integer),
                                "Where each of them stands, counted from 0; of those that are `removed`, where it stood"
                            ),
                            .optional(
                                "before", .integer,
                                "The item before which those stand that were `inserted` or `moved`; missing at the end of the queue"
                            ),
                        ])), "What happened to it, one after the other"),
            ]),
        Self.media(
            "media.error", "Something failed that no request waits for", [Self.code, Self.castCode, Self.reason]),
    ]

    private static func session(
        _ name: String, endsResource: Bool = false, _ summary: String, _ members: [OperationResult.Member] = []
    ) -> EventDeclaration {
        EventDeclaration(
            name, .state(.session), .realDevice, endsResource: endsResource, summary, Self.facts + members)
    }

    private static func media(
        _ name: String, _ summary: String, _ members: [OperationResult.Member]
    ) -> EventDeclaration {
        EventDeclaration(name, .log, .realDevice, summary, [Self.number] + members + [Self.standsFor])
    }

    private static let number = OperationResult.Member("session", .integer, "The number of the session")
    private static let via = OperationResult.Member(
        "via", .word([MessageVia.own.rawValue]), "It reached a session of the gateway's own")

    private static let facts: [OperationResult.Member] = [
        Self.number, Self.category, .init("app", .text, "The id of the app"),
        .init("state", .word(["disconnected", "connecting", "connected", "disconnecting"]), "How far it is"),
        .optional(
            "status", .word(CastSessionChange.Word.allCases.map(\.rawValue)),
            "The change in one word, for readers that need no more; being suspended counts as having ended"),
        .optional("suspend_reason", .text, "Why it is suspended"),
        .optional("session_id", .text, "The device's id of the session"),
        .optional("transport_id", .text, "The app's end of virtual connections"),
        .optional("display_name", .text, "The app's name"),
        .optional("status_text", .text, "The app's line on what it does"),
        .optional("namespaces", .list(.text), "What the app understands"),
    ]

    private static let previousDevice = OperationResult.Member.optional(
        "previous_device", .text, "The device from which playback was moved here, with the cause `transfer`")

    private static let cause = OperationResult.Member(
        "cause", .word(SessionResumeCause.allCases.map(\.rawValue)), "What brought it back")

    private static let last = OperationResult.Member.optional(
        "last",
        .object([
            .optional("content_id", .text, "What was loaded, as the app calls it"),
            .optional("title", .text, "Its title"),
            .init("position", .number, "Where the player was, in seconds"),
            .init("player_state", .text, "What the player did: `playing`, `paused`, `buffering`"),
            .init(
                "autoplay", .boolean,
                "Whether a player that goes on with it would play at once: it was neither paused nor at its end"),
        ]), "What played last, for a player that goes on with it; missing when nothing did")

    private static let castCode = OperationResult.Member(
        "cast_code", .integer, "The same as the number of the Cast SDKs")

    private static let failure: [OperationResult.Member] = [
        Self.code, Self.castCode, Self.reason, .optional("device_reason", .text, "The device's own word for it"),
        .optional("extra_info", .text, "What a refused launch adds to it"),
        .optional("running_app", .text, "The app that runs instead"),
    ]
}
