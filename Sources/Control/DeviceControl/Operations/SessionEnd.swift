import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations

/// `session.end`
struct EndSession: DeviceControlOperation {
    struct Input: OperationInput {
        var session = SessionReference.number(0)
        var isStop: Bool?
        var action: SessionEndAction?

        static let keys: [Key] = [
            .session(\.session),
            .optional(
                "action", \.action, .word,
                "What becomes of the app: `leave` and `disconnect` leave it to others, `disconnect` also hangs up when nothing else uses the "
                    + "gateway's channel to the device, `stop` stops it; without it as `sessions.stop_app_on_end` says, on a virtual device `stop`",
                example: "leave"),
            .optional(
                "stop", \.isStop, .boolean,
                "The same in the form of yes (`stop`) or no (`leave`), for callers that know no more; read where `action` is missing"
            ),
        ]

        init(blank: ConfigBlank) {}

        var wanted: SessionEndAction? { self.action ?? self.isStop.map { $0 ? .stop : .leave } }
    }

    static let name: OperationName = "session.end"
    static let route = OperationRoute(.delete, "/sessions/{session}")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Ends a session"
    static let details =
        "To end one of the gateway's own twice does no harm: for ten minutes the answer is how it ended. Its app is not stopped by that."
    static let result = EndedSessionResult.result("The session as it ended")
    static let problems =
        DeviceProblem.session + [
            OperationProblemCase(
                "not_real", 409, "the session is on a virtual device, where only its app can be stopped")
        ]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let found: ControlledSession
        do throws(OperationProblem) {
            found = try await self.controls.session(input.session, for: caller)
        } catch {
            guard let ended = self.controls.endedSession(input.session, for: caller) else { throw error }
            return EndedSessionResult.json((.init(ended, in: self.controls.context), ended))
        }
        switch found {
        case .own(let session):
            do throws(SessionFailure) {
                try await session.end(input.wanted)
                await self.controls.devices.directory.settleRecords()
                let result = try await SessionResult.Source(session, in: self.controls.context)
                let end = self.controls.endedSession(.number(session.number), for: caller)
                return EndedSessionResult.json((result, end))
            } catch {
                throw OperationProblem(error)
            }
        case .virtual(let device, let session):
            guard input.wanted ?? .stop == .stop else {
                throw OperationProblem(
                    "not_real", status: 409, "a session on a virtual device is its app, and ends when that is stopped")
            }
            _ = try await device.askStatus(["type": "STOP", "sessionId": .string(session.app.sessionID)])
            var result = SessionResult.Source(session, at: device.now, in: self.controls.context)
            result.facts.state = .disconnected
            return EndedSessionResult.json((result, nil))
        }
    }
}

/// `session.suspend`
struct SuspendSession: DeviceControlOperation {
    /// Why a caller may say that a session is suspended.
    enum Reason: String, Sendable, CaseIterable {
        case background = "app_backgrounded"
        case networkError = "network_error"
        case networkNotReachable = "network_not_reachable"
        case unknown

        var reason: SessionSuspendReason {
            switch self {
            case .background: .appBackgrounded
            case .networkError: .networkError
            case .networkNotReachable: .networkNotReachable
            case .unknown: .unknown
            }
        }
    }

    struct Input: OperationInput {
        var session = SessionReference.number(0)
        var reason = Reason.background

        static let keys: [Key] = [
            .session(\.session),
            Key(
                "reason", \.reason, .word,
                "Why, as events tell it. With any but `app_backgrounded` the session is taken up again by itself when the device is reached anew"
            ),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.suspend"
    static let route = OperationRoute(.post, "/sessions/{session}/suspend")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Leaves the app of a session for a while; it goes on"
    static let details =
        "The session is taken up again by `session.resume`, and not by itself unless `reason` says otherwise."
    static let result = SessionResult.result("The session then")
    static let problems = DeviceProblem.session + [SessionInput.notReal]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let session = try await self.controls.ownSession(input.session, for: caller)
        do throws(SessionFailure) {
            try await session.suspend(input.reason.reason)
            return SessionResult.json(try await .init(session, in: self.controls.context))
        } catch {
            throw OperationProblem(error)
        }
    }
}
