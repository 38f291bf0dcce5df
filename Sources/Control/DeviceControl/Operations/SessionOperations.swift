package import CastWire
import DeviceSessions
import FeatureContract
package import GatewayOperations

/// `sessions.list`
package struct ListSessions: GatewayOperation {
    package static let name: OperationName = "sessions.list"
    package static let route = OperationRoute(.get, "/sessions")
    package static let scope = OperationScope.read
    package static let reach = OperationReach.permitted
    package static let summary = "Lists the gateway's own sessions with apps on real devices"
    package static let result = SessionListResult.result("The sessions")

    let devices: RealDevicesFeature

    package func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var sessions: [SessionResult.Source] = []
        for session in await self.devices.directory.currentSessions() where caller.mayUse(device: session.device) {
            // One that ends meanwhile is not there any more.
            if let session = try? await SessionResult.Source(session, in: self.devices.context) {
                sessions.append(session)
            }
        }
        return SessionListResult.json((sessions, caller))
    }
}

/// The gateway's own sessions.
package struct SessionListResult: ResultRecord {
    package typealias Source = (sessions: [SessionResult.Source], caller: Caller)

    package let sessions = Field("sessions", listOf: SessionResult.self, "The oldest first") { $0.sessions }
    package let unanswered = Embedded(Unanswered.self) { $0.caller }

    package static let layout = ResultLayout(SessionListResult())
}
