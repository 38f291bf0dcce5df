import CastClient
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayOperations

/// `sessions.list`
struct ListSessions: GatewayOperation {
    static let name: OperationName = "sessions.list"
    static let route = OperationRoute(.get, "/sessions")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the gateway's own sessions with apps on real devices"
    static let result = OperationResult(
        "The sessions", [.init("sessions", .list(.object(SessionResult.members)), "The oldest first")])

    /// Has the sessions.
    let devices: RealDevicesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var sessions: [JSONValue] = []
        for session in await self.devices.directory.currentSessions() where caller.mayUse(device: session.device) {
            // One that ends meanwhile is not there any more.
            if let json = try? await SessionResult.json(session) { sessions.append(.object(json)) }
        }
        return ["sessions": .array(sessions)]
    }
}

/// `session.start`
struct StartSession: GatewayOperation {
    struct Input: OperationInput {
        var device = ""
        var app: String?

        static let keys: [Key] = [
            .required(
                "device", \.device, .text(maximumBytes: 200),
                "A device of the configuration, or the id or name of one that discovery has found", example: "wall"),
            .optional(
                "app", \.app, .appID, "The app; without it that of `discovery.receiver_app`", example: "CC1AD845"),
        ]

        init(blank: ConfigBlank) {}

        static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
            guard let app = section.optionalString("app"), !AppID(rawValue: app).isValid else { return }
            problems.add(
                .malformedValue, at: section.location("app"), "'app' must be an app id such as CC1AD845, not '\(app)'")
        }
    }

    static let name: OperationName = "session.start"
    static let route = OperationRoute(.post, "/sessions")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary = "Starts a session with an app on a device"
    static let details = "It is answered when the app can be spoken to. An app that runs already is joined."
    static let inputRules: JSONObject = ["properties": ["app": ["pattern": .string(AppID.pattern)]]]
    static let result = OperationResult("The session", status: 201, SessionResult.members)
    static let problems =
        SessionResult.problems + [
            OperationProblemCase("unknown_device", 404, "there is no such device"),
            OperationProblemCase("app_missing", 422, "neither the input nor the file names an app"),
        ]

    /// Has the sessions.
    let devices: RealDevicesFeature
    /// Knows the configured app.
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        // A discovered device may be named by its id or its friendly name; sessions keep what the caller said.
        try caller.require(device: input.device)
        let phase = self.context.lifecycle.phase
        guard phase == .ready else {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is \(phase.rawValue)"))
        }
        guard let app = input.app ?? self.context.configuration.current.discovery.receiverApp else {
            throw OperationProblem(
                "app_missing", status: 422, "no app to launch: name one in app, or set discovery.receiver_app")
        }
        do throws(SessionFailure) {
            let session = try await self.devices.startSession(device: input.device, app: AppID(rawValue: app))
            let json = try await SessionResult.json(session)
            // A caller that is told that there is a session may count on it, whatever happens to the gateway next.
            await self.devices.directory.settleRecords()
            return json
        } catch {
            guard error != .unknownDevice(input.device) else { throw .missing("unknown_device", error.message) }
            throw OperationProblem(error)
        }
    }
}

/// `session.end`
struct EndSession: GatewayOperation {
    struct Input: OperationInput {
        var session = 0
        var isStop: Bool?

        static let keys: [Key] = [
            .required("session", \.session, .integer(1...Int.max), "The number of the session", example: "1"),
            .optional(
                "stop", \.isStop, .boolean, "Whether its app is stopped; without it as `sessions.stop_app_on_end` says"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.end"
    static let route = OperationRoute(.delete, "/sessions/{session}")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary = "Ends a session of the gateway's own"
    static let result = OperationResult("The session as it ended", SessionResult.members)
    static let problems =
        SessionResult.problems + [OperationProblemCase("unknown_session", 404, "there is no session of that number")]

    /// Has the sessions.
    let devices: RealDevicesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let sessions = await self.devices.directory.currentSessions()
        guard let session = sessions.first(where: { $0.number == input.session }) else {
            throw .missing("unknown_session", "there is no session \(input.session)")
        }
        try caller.require(device: session.device)
        do throws(SessionFailure) {
            try await session.end(input.isStop.map { $0 ? .stop : .leave })
            await self.devices.directory.settleRecords()
            return try await SessionResult.json(session)
        } catch {
            throw OperationProblem(error)
        }
    }
}

extension OperationProblem {
    /// What a session's failure is to a caller; `reason` is the device's own word.
    fileprivate init(_ failure: SessionFailure) {
        var members: JSONObject = [:]
        if let reason = failure.reason { members["reason"] = .string(reason) }
        self.init(GatewayError(GatewayError.Code(failure.code), failure.message), members: members)
    }
}

/// What operations say of a session.
private enum SessionResult {
    static let members: [OperationResult.Member] = [
        .init("id", .integer, "Its number"),
        .init("device", .text, "The device"),
        .init("app", .text, "The id of the app"),
        .init("state", .text, "How it is"),
        .optional("suspend_reason", .text, "Why it is suspended"),
        .optional("session_id", .text, "The device's id of the session"),
        .optional("transport_id", .text, "The app's end of virtual connections"),
        .optional("display_name", .text, "The app's name"),
        .optional(
            "media",
            .object([
                .init("media_session_id", .integer, "The device's number of what plays"),
                .init("player_state", .text, "`IDLE`, `LOADING`, `BUFFERING`, `PLAYING` or `PAUSED`"),
            ]), "What plays"),
    ]

    static let problems = [
        OperationProblemCase("invalid_request", 422, "the device cannot do it"),
        OperationProblemCase("not_allowed", 502, "the device refuses; `reason` is its own word"),
        OperationProblemCase("application_not_found", 502, "the device does not have the app"),
        OperationProblemCase("cancelled", 503, "something else was wanted of the device meanwhile"),
        OperationProblemCase("invalid_state", 409, "the session is in no state for it"),
        OperationProblemCase("device_not_connected", 504, "the device is out of reach"),
        OperationProblemCase("timeout", 504, "the device did not answer in time"),
    ]

    /// How a session stands, with what it plays.
    static func json(_ session: CastSession) async throws(SessionFailure) -> JSONObject {
        let facts = try await session.facts
        var json: JSONObject = [
            "id": .number(facts.number), "device": .string(facts.device), "app": .string(facts.appID.rawValue),
            "state": .string(facts.state.rawValue),
        ]
        if facts.suspendReason != .none { json["suspend_reason"] = .string(facts.suspendReason.name) }
        if let sessionID = facts.sessionID { json["session_id"] = .string(sessionID) }
        if let transportID = facts.transportID { json["transport_id"] = .string(transportID.rawValue) }
        if let name = facts.app?.displayName { json["display_name"] = .string(name) }
        let media = session.media.snapshot
        if let number = media.mediaSessionID {
            json["media"] = [
                "media_session_id": .number(number), "player_state": .string(media.playerState.rawValue),
            ]
        }
        return json
    }
}
