import CastClient
import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations

/// `session.start`
struct StartSession: DeviceControlOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var app: String?
        var sessionID: String?
        var joins: Bool?
        var language: String?
        var relaunches: Bool?
        var isAndroidReceiverCompatible: Bool?
        var credentials: Secret?
        var credentialsType: String?
        var parameters: JSONValue?
        var requiredFeatures: [String] = []
        var senderName: String?
        var isExclusive = false

        static let keys: [Key] = [
            .device(\.device),
            .optional(
                "app", \.app, .appID,
                "The app; without it that of `launch.set`, or else the first of `discovery.receiver_apps`, or `discovery.receiver_app`",
                example: "CC1AD845"),
            .optional(
                "session_id", \.sessionID, .text(maximumBytes: 200),
                "The session that is joined instead, by the device's id of it; nothing is launched then"),
            .optional(
                "join", \.joins, .boolean,
                "Whether the app is only joined where it runs: nothing is launched, and another app that runs there is left alone"
            ),
            .optional(
                "language", \.language, .text(maximumBytes: 64),
                "The user's language; without it `launch.language`", example: "de-DE"),
            .optional(
                "relaunch", \.relaunches, .boolean,
                "Whether an app that runs is launched anew; without it `launch.relaunch_if_running`"),
            .optional(
                "android_receiver", \.isAndroidReceiverCompatible, .boolean,
                "Whether the Android TV app may be started; without it `launch.android_receiver_compatible`"),
            .optional(
                "credentials", \.credentials, .hiddenText(maximumBytes: 8192),
                "Who launches, for the app; without them those of `launch`"),
            .optional(
                "credentials_type", \.credentialsType, .text(maximumBytes: 256), "Where they come from",
                example: "web"),
            .optional(
                "params", \.parameters, .json, "What the app is given when it is launched: members of `appParams`",
                example: "{\"room\": \"hall\"}"),
            Key(
                "required_features", \.requiredFeatures, .list(of: .text(allowed: "A-Z0-9_", length: 1...64)),
                "What the app must be able to do when it is launched, as `STREAM_TRANSFER`"),
            .optional(
                "sender_name", \.senderName, .text(maximumBytes: 128),
                "What the device may call the sender; without it `launch.sender_name`", example: "Lobby"),
            Key(
                "unless_active", \.isExclusive, .boolean,
                "Whether the start is refused (`invalid_state`) when the device has a session already, whatever it is: one of the gateway's own, or "
                    + "an app on a virtual device"),
        ]

        static let rules: [InputRule] = [
            .launchableApp, .notBoth("app", "session_id"), .notBoth("relaunch", "session_id"),
            .notBoth("join", "session_id"), .notBoth("join", "relaunch"),
            .notBoth("language", "session_id"), .notBoth("android_receiver", "session_id"),
            .needs("credentials_type", "credentials"), .notBoth("params", "session_id"),
            .notBoth("required_features", "session_id"), .notBoth("sender_name", "session_id"), .objects(["params"]),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.start"
    static let scopedParts = [
        ScopedPart("credentials", scope: .credentials),
        ScopedPart("params", "launchCheckerParams", "credentialsData", scope: .credentials),
    ]
    static let route = OperationRoute(.post, "/sessions")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Starts a session with an app on a device"
    static let details =
        "It is answered when the app can be spoken to. An app that runs already is joined. Of a real device, a session with the same app that is being "
        + "started is waited for, and one that is suspended is resumed; one with another app ends, since there is one for each device."
    static let result = SessionResult.result("The session", status: 201)
    static let problems =
        DeviceProblem.asked + [
            OperationProblemCase("app_missing", 422, "neither the input nor the file names an app"),
            OperationProblemCase("application_not_found", 404, "the device does not have the app"),
            OperationProblemCase(
                "application_not_running", 409,
                "the device was asked to launch it, and does not run it; with `join`, no app runs"),
            OperationProblemCase("launch_cancelled", 409, "the launch was cancelled at the device"),
            OperationProblemCase(
                "join_application_mismatch", 409, "with `join`, another app runs; `running_app` names it"),
            OperationProblemCase("join_session_mismatch", 409, "the session that is to be joined does not run"),
            OperationProblemCase(
                "invalid_state", 409,
                "other sessions with the device are started and ended just now, or there is one, with `unless_active`"),
            OperationProblemCase("session_not_active", 409, "the session ended while it was started"),
        ]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        var wish = SessionStartRequest(app: input.app.map { AppID(rawValue: $0) })
        wish.sessionID = input.sessionID
        wish.language = input.language
        wish.relaunches = input.relaunches
        wish.isAndroidReceiverCompatible = input.isAndroidReceiverCompatible
        wish.credentials = input.credentials.map {
            ReceiverRequest.LaunchCredentials(credentials: $0.reveal(), credentialsType: input.credentialsType)
        }
        wish.parameters = input.parameters?.objectValue
        wish.requiredFeatures = input.requiredFeatures
        wish.senderName = input.senderName
        wish.isExclusive = input.isExclusive
        if wish.app == nil, wish.sessionID == nil {
            guard let usual = self.controls.devices.receiverApp else {
                throw OperationProblem(
                    "app_missing", status: 422, "no app to launch: name one in app, or set discovery.receiver_app")
            }
            wish.app = usual
        }
        if input.joins == true, let app = wish.app {
            wish.sessionID = try await Self.session(with: app, on: device)
            wish.app = nil
        }
        let session = try await self.controls.start(wish, on: device).result(in: self.controls.context)
        // A caller that is told that there is a session may count on it, whatever happens to the gateway next.
        await self.controls.devices.directory.settleRecords()
        return SessionResult.json(session)
    }

    /// The device's id of the session with an app that runs.
    private static func session(
        with app: AppID, on device: any ControlledDevice
    ) async throws(OperationProblem) -> String {
        let running = try await device.status().applications.filter { !$0.isIdleScreen }
        if let id = running.first(where: { $0.matches(app) && $0.sessionID != nil })?.sessionID { return id }
        guard let other = running.first else {
            throw OperationProblem(deviceFailure: .applicationNotRunning, "no app runs on \(device.name)")
        }
        throw OperationProblem(
            deviceFailure: .joinApplicationMismatch,
            "another app runs on \(device.name) than the one to be joined: \(other.displayName ?? other.appID?.rawValue ?? "unknown")",
            members: other.appID.map { ["running_app": .string($0.rawValue)] } ?? [:])
    }
}

/// `session.join`
struct JoinSession: DeviceControlOperation {
    struct Input: OperationInput {
        var link = ""

        static let keys: [Key] = [
            .required(
                "link", \.link, .text(maximumBytes: 2048),
                "The link: `link` of `session.get`, or any other with the parameters `device` (a name or an id), or else `name`, and `session` (the device's "
                    + "id of it) behind `?`",
                example: "castway:session?device=real:wall&session=5824f863-2c3b")
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.join"
    static let route = OperationRoute(.post, "/sessions/join")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Joins the session that a link names"
    static let details = "Nothing is launched: that very session runs, or the answer says that it does not."
    static let result = SessionResult.result("The session", status: 201)
    static let problems =
        StartSession.problems + [OperationProblemCase("malformed_link", 422, "the link names no device or no session")]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard let link = SessionLink(input.link) else {
            throw OperationProblem(
                "malformed_link", status: 422,
                "a link has a device and a session, as in castway:session?device=wall&session=5824f863-2c3b")
        }
        var wish = SessionStartRequest()
        wish.sessionID = link.session
        let device = try self.controls.device(link.device, for: caller)
        let session = try await self.controls.start(wish, on: device).result(in: self.controls.context)
        await self.controls.devices.directory.settleRecords()
        return SessionResult.json(session)
    }
}

/// `session.get`
struct GetSession: DeviceControlOperation {
    static let name: OperationName = "session.get"
    static let route = OperationRoute(.get, "/sessions/{session}")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Shows a session"
    static let details =
        "One of the gateway's own that has ended is shown for ten minutes more, with `ended` and what played last: what a player needs that goes on with it."
    static let result = EndedSessionResult.result("The session")
    static let problems = [SessionInput.unknown] + DeviceProblem.sessionRead

    let controls: DeviceControls

    func perform(_ input: SessionInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        do throws(OperationProblem) {
            let session = try await self.controls.session(input.session, for: caller)
            return EndedSessionResult.json((try await session.result(in: self.controls.context), nil))
        } catch {
            guard let ended = self.controls.endedSession(input.session, for: caller) else { throw error }
            return EndedSessionResult.json((.init(ended, in: self.controls.context), ended))
        }
    }
}

/// `session.resume`
struct ResumeSession: DeviceControlOperation {
    static let name: OperationName = "session.resume"
    static let route = OperationRoute(.post, "/sessions/{session}/resume")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Goes on with a session that is suspended"
    static let details =
        "It is answered when the app can be spoken to, or after 30 seconds when the device does not come back; the session is resumed all the same "
        + "when it comes later. Nothing is ever launched."
    static let result = SessionResult.result("The session then")
    static let problems =
        DeviceProblem.session + [
            SessionInput.notReal,
            OperationProblemCase("resume_session_mismatch", 409, "the app was launched anew by another sender"),
            OperationProblemCase("resume_application_mismatch", 409, "another app runs; `running_app` names it"),
            OperationProblemCase(
                "resume_device_mismatch", 409,
                "another device answers, as its certificate and that of the session's show"),
        ]

    let controls: DeviceControls

    func perform(_ input: SessionInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let session = try await self.controls.ownSession(input.session, for: caller)
        do throws(SessionFailure) {
            try await session.resume()
            return SessionResult.json(try await .init(session, in: self.controls.context))
        } catch {
            throw OperationProblem(error)
        }
    }
}

/// Names a session.
struct SessionInput: OperationInput {
    var session = SessionReference.number(0)

    static let keys: [Key] = [.session(\.session)]

    static let unknown = OperationProblemCase("unknown_session", 404, "there is no such session")
    static let notReal = OperationProblemCase("not_real", 409, "the session is on a virtual device")

    init(blank: ConfigBlank) {}
}

extension DeviceProblem {
    static let sessionRead = [OperationProblemCase("session_not_active", 409, "the session ended just now")]

    /// Of an operation on a session.
    static let session =
        [SessionInput.unknown] + Self.asked.filter { !Self.named.contains($0) }
        + [
            OperationProblemCase("application_not_running", 409, "the app does not run any more"),
            OperationProblemCase(
                "session_not_active", 409, "the session is being started or stopped, suspended, or over"),
        ]
}
