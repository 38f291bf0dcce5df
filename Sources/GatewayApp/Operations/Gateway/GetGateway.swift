import CastWire
import DeviceSessions
import GatewayCore
import GatewayOperations

/// `gateway.get`
struct GetGateway: GatewayOperation {
    static let name: OperationName = "gateway.get"
    static let route = OperationRoute(.get, "/gateway")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Says which gateway this is, how far it is, and how casting stands"
    static let details =
        "`cast_state` and `sessions` are of the devices that the caller may use. `cast_state` is what the event `gateway.cast_state` tells, as exact as "
        + "it is now: a device that has just been lost shows here before `sessions.suspend_after` has passed."
    static let result = OperationResult(
        "The gateway",
        [
            .init("name", .text, "`gateway.name`"),
            .init("version", .text, "The version of Castway"),
            .init("phase", .word(GatewayLifecycle.Phase.allCases.map(\.rawValue)), "How far it is"),
            .init(
                "cast_state", .word(CastState.allCases.map(\.rawValue)),
                "How casting stands as a whole; of several sessions the one that is furthest counts"),
            .optional(
                "receiver_app", .text, "The app that sessions launch when none is named; missing when none is set"),
            .optional("discovery", .object(DiscoveryResult.members), "Whether devices are searched for"),
            .init("sessions", .list(.integer), "The numbers of the gateway's own sessions, by device"),
            .init("operations", .list(.text), "What it can do, by name"),
            Unanswered.member,
        ])

    /// Knows the gateway.
    let context: GatewayContext
    /// Knows the devices and sessions; nil for a gateway that has none.
    let overview: OverviewFeature?
    /// Knows which app is launched; nil for a gateway without devices.
    let devices: RealDevicesFeature?
    /// The names of all operations that there are now.
    let operations: @Sendable () -> [String]

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let configuration = self.context.configuration.current
        var json: JSONObject = [
            "name": .string(configuration.gateway.name), "version": .string(self.context.version),
            "phase": .string(self.context.lifecycle.phase.rawValue),
        ]
        var sessions: [(number: Int, state: SessionConnectionState)] = []
        for session in await self.overview?.directory.currentSessions() ?? []
        where caller.mayUse(device: session.device) {
            guard let state = try? await session.facts.state else { continue }
            sessions.append((session.number, state))
        }
        let devices = self.overview?.resolver.realDevices ?? []
        let state = CastState(
            hasDevices: devices.contains { $0.found != nil && caller.mayUse(device: $0.name) },
            sessions: sessions.map(\.state))
        json["cast_state"] = .string(state.rawValue)
        if let app = self.devices?.receiverApp { json["receiver_app"] = .string(app.rawValue) }
        if let discovery = self.overview?.discovery {
            json["discovery"] = .object(DiscoveryResult.json(discovery.state))
        }
        json["sessions"] = .array(sessions.map { .number($0.number) })
        json["operations"] = .array(self.operations().map { .string($0) })
        Unanswered.add(to: &json, for: caller)
        return json
    }
}
