import CastClient
import CastWire
import ControlAPI
import DeviceSessions
import GatewayCore

/// The operations on sessions of the gateway's own, as callers of the admin listener ask for them.
struct SessionOperations: Sendable {
    let devices: RealDevicesFeature
    let context: GatewayContext

    /// The operations.
    var actions: SessionActions {
        SessionActions(
            list: { await self.answerSessions() }, start: { await self.answerStart(device: $0, app: $1) },
            end: { await self.answerEnd($0, isStop: $1) })
    }

    private func answerSessions() async -> ControlAnswer {
        var sessions: [JSONValue] = []
        for session in await self.devices.directory.currentSessions() {
            // One that ends meanwhile is not there any more.
            if let json = try? await Self.json(session) { sessions.append(.object(json)) }
        }
        return ControlAnswer(["sessions": .array(sessions)])
    }

    private func answerStart(device: String, app: AppID?) async -> ControlAnswer {
        let phase = self.context.lifecycle.phase
        guard phase == .ready else {
            return .error(
                status: 503, code: "\(GatewayError.Code.unavailable)", message: "the gateway is \(phase.rawValue)")
        }
        guard let app = app ?? self.context.configuration.current.discovery.receiverApp.map(AppID.init(rawValue:))
        else {
            return .error(
                status: 400, code: "app_missing",
                message: "no app to launch: name one in app, or set discovery.receiver_app")
        }
        do throws(SessionFailure) {
            let session = try await self.devices.startSession(device: device, app: app)
            let json = try await Self.json(session)
            // A caller that is told that there is a session may count on it, whatever happens to the gateway next.
            await self.devices.directory.settleRecords()
            return ControlAnswer(status: 201, json)
        } catch {
            return Self.answer(error)
        }
    }

    private func answerEnd(_ number: Int, isStop: Bool?) async -> ControlAnswer {
        guard let session = await self.devices.directory.currentSessions().first(where: { $0.number == number }) else {
            return .error(status: 404, code: "not_found", message: "there is no session \(number)")
        }
        do throws(SessionFailure) {
            try await session.end(isStop.map { $0 ? .stop : .leave })
            await self.devices.directory.settleRecords()
            return ControlAnswer(try await Self.json(session))
        } catch {
            return Self.answer(error)
        }
    }

    private static func answer(_ failure: SessionFailure) -> ControlAnswer {
        let status =
            switch failure.code {
            case .invalidRequest: 400
            case .invalidState: 409
            case .deviceNotConnected, .timeout: 504
            case .cancelled: 503
            default: 502
            }
        let details = failure.reason.map { [("reason", JSONValue.string($0))] } ?? []
        return .error(
            status: status, code: failure.code.name, message: failure.message,
            details: details.map { (name: $0.0, value: $0.1) })
    }

    /// How a session stands, with what it plays.
    private static func json(_ session: CastSession) async throws(SessionFailure) -> JSONObject {
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
