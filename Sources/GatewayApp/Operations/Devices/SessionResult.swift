import CastClient
import CastWire
import DeviceSessions
import GatewayCore
import GatewayOperations
import NIOCore

/// What operations say of a session.
enum SessionResult {
    static let members: [OperationResult.Member] = [
        .optional("id", .integer, "Its number; missing on virtual devices"),
        .init("device", .text, "The device"),
        .init("kind", .word(DeviceReference.Kind.allCases.map(\.rawValue)), "Whether the device is real or virtual"),
        .init(
            "category", .text,
            "Whose device it was when the session began: `cast`, `plugin:NAME`, or `virtual` for a virtual device"),
        .init("app", .text, "The id of the app"),
        .init("state", .text, "How it is"),
        .optional("since", .integer, "Since when it is there, in this run of the gateway, in seconds since 1970"),
        .optional("suspend_reason", .text, "Why it is suspended"),
        .optional("session_id", .text, "The device's id of the session"),
        .optional("link", .text, "The session as a link, with which others join it by `session.join`"),
        .optional("transport_id", .text, "The app's end of virtual connections"),
        .optional("display_name", .text, "The app's name"),
        .optional("status_text", .text, "The app's line on what it does"),
        .optional("icon_url", .text, "Where the app's picture is"),
        .optional(
            "options",
            .object([
                .optional("language", .text, "The language that the app was launched with"),
                .init("app_types", .list(.text), "The kinds of app that could be started, best first"),
                .init("required_features", .list(.text), "What the app had to be able to do"),
                .optional("sender_name", .text, "What the device may call the gateway"),
                .init("relaunch", .boolean, "Whether an app that ran was launched anew"),
                .init("credentials", .boolean, "Whether credentials went along"),
                .init("params", .list(.text), "The names of the other members of `appParams`"),
            ]), "How the app was launched, or is to be; missing on virtual devices"),
        .optional(
            "traits",
            .object([
                .optional("control", .text, "How the volume is changed: `attenuation`, `fixed`, `master`"),
                .init("step", .number, "By how much the level changes at once; 0 when it cannot be changed"),
                .init("fixed", .boolean, "Whether the volume cannot be changed"),
            ]), "What can be done with the volume of the device; missing on virtual devices"),
        .optional("media", .object(AppDescription.media), "What plays"),
    ]

    /// The members of a session that has ended.
    static let endMembers: [OperationResult.Member] = [
        .optional(
            "ended",
            .object([
                .init("at", .integer, "When it ended, in seconds since 1970"),
                .optional("code", .text, "Why, in a word; missing when its end was asked for"),
                .optional("reason", .text, "The same in a sentence"),
                .optional("running_app", .text, "The app that ran instead"),
                .optional("close_reason", .text, "What the app said when it closed the connection"),
            ]), "How it ended; missing while it has not"),
        .optional(
            "last",
            .object([
                .optional("content_id", .text, "What was loaded, as the app calls it"),
                .optional("title", .text, "Its title"),
                .init("position", .number, "Where the player was, in seconds"),
                .init("player_state", .text, "What the player did"),
                .init("autoplay", .boolean, "Whether a player that goes on with it would play at once"),
            ]), "What played last, of a session that has ended"),
    ]

    /// How a session of the gateway's own stands, with what it plays.
    static func json(_ session: CastSession, in context: GatewayContext) async throws(SessionFailure) -> JSONObject {
        let facts = try await session.facts
        var json = Self.json(facts)
        let options = try await session.options
        json["options"] = .object(Self.json(options))
        if let volume = try await session.deviceStatus?.volume { json["traits"] = .object(Self.json(volume)) }
        let times = try await session.times
        if let started = times.started { json["since"] = context.time(of: started) }
        if let status = session.media.snapshot.status, session.media.snapshot.mediaSessionID != nil {
            json["media"] = .object(AppDescription.json(status.json, times, in: context))
        }
        return json
    }

    /// How a session of the gateway's own ended.
    static func json(_ ended: EndedSessionBook.Entry, in context: GatewayContext) -> JSONObject {
        Self.add(ended, to: Self.json(ended.facts), in: context)
    }

    /// Adds how a session ended.
    static func add(_ ended: EndedSessionBook.Entry, to json: JSONObject, in context: GatewayContext) -> JSONObject {
        var json = json
        var end: JSONObject = ["at": context.time(of: ended.endedAt)]
        if let failure = ended.failure {
            end["code"] = .string(failure.code.name)
            end["reason"] = .string(failure.message)
            end["running_app"] = failure.app.map { .string($0.rawValue) }
            end["close_reason"] = failure.closeReason.map { .string($0.word) }
        }
        json["ended"] = .object(end)
        if let last = ended.facts.last { json["last"] = .object(last.json) }
        return json
    }

    private static func link(_ kind: DeviceReference.Kind, _ device: String, _ session: String) -> JSONValue {
        let reference = DeviceReference("\(kind.rawValue):\(device)")
        return .string(SessionLink(device: reference, session: session).text)
    }

    private static func json(_ facts: CastSessionFacts) -> JSONObject {
        var json: JSONObject = [
            "id": .number(facts.number), "device": .string(facts.device),
            "kind": .string(DeviceReference.Kind.real.rawValue), "category": .string(facts.category.rawValue),
            "app": .string(facts.appID.rawValue),
            "state": .string(facts.state.rawValue),
        ]
        if facts.suspendReason != .none { json["suspend_reason"] = .string(facts.suspendReason.name) }
        if let sessionID = facts.sessionID {
            json["session_id"] = .string(sessionID)
            json["link"] = Self.link(.real, facts.device, sessionID)
        }
        if let transportID = facts.transportID { json["transport_id"] = .string(transportID.rawValue) }
        if let name = facts.app?.displayName { json["display_name"] = .string(name) }
        if let text = facts.app?.statusText { json["status_text"] = .string(text) }
        if let url = facts.app?.iconURL, !url.isEmpty { json["icon_url"] = .string(url) }
        return json
    }

    private static func json(_ options: LaunchOptions) -> JSONObject {
        var json: JSONObject = [
            "app_types": .array(options.supportedAppTypes.map { .string($0) }),
            "required_features": .array(options.requiredFeatures.map { .string($0) }),
            "relaunch": .bool(options.relaunchesIfRunning),
            "credentials": .bool(options.credentials?.credentials != nil),
            "params": .array(options.appParameters.members.map { .string($0.name) }),
        ]
        json["language"] = options.languageCode.map { .string($0) }
        json["sender_name"] = options.senderName.map { .string($0) }
        return json
    }

    private static func json(_ volume: ReceiverVolume) -> JSONObject {
        let traits = SessionTraits(volume)
        var json: JSONObject = ["step": .number(traits.volumeIncrement), "fixed": .bool(traits.isFixedVolume)]
        json["control"] = volume.controlType.map { .string($0.rawValue) }
        return json
    }

    /// How a session on a virtual device stands.
    static func json(_ session: GatewaySnapshot.Session, media: MediaSnapshot, in context: GatewayContext) -> JSONObject
    {
        var json: JSONObject = [
            "device": .string(session.device), "kind": .string(DeviceReference.Kind.virtual.rawValue),
            "category": .string(DeviceCategory.virtual.rawValue), "app": .string(session.app.appID.rawValue),
            "state": .string(SessionConnectionState.connected.rawValue),
            "session_id": .string(session.app.sessionID),
            "transport_id": .string(session.app.transportID.rawValue),
            "display_name": .string(session.app.displayName),
            "link": Self.link(.virtual, session.device, session.app.sessionID),
        ]
        if let status = media.status, media.mediaSessionID != nil {
            var times = AppTimes()
            times.position = media.position(at: .now())
            json["media"] = .object(AppDescription.json(status.json, times, in: context))
        }
        return json
    }
}
