import CastWire
import DeviceSessions
import GatewayOperations

/// `sessions.list`
struct ListSessions: GatewayOperation {
    static let name: OperationName = "sessions.list"
    static let route = OperationRoute(.get, "/sessions")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the gateway's own sessions with apps on real devices"
    static let members: [OperationResult.Member] = [
        .init("sessions", .list(.object(SessionResult.members)), "The oldest first")
    ]
    static let result = OperationResult("The sessions", Self.members + [Unanswered.member])

    /// Has the sessions.
    let devices: RealDevicesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var sessions: [JSONValue] = []
        for session in await self.devices.directory.currentSessions() where caller.mayUse(device: session.device) {
            // One that ends meanwhile is not there any more.
            if let json = try? await SessionResult.json(session, in: self.devices.context) {
                sessions.append(.object(json))
            }
        }
        var json: JSONObject = ["sessions": .array(sessions)]
        Unanswered.add(to: &json, for: caller)
        return json
    }
}
