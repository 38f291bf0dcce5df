import CastWire
import DeviceControl
import DeviceSessions
import FeatureContract
import GatewayCore
import GatewayOperations
import GatewaySettings

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
    static let result = GatewayResult.result("The gateway")

    /// Knows the gateway, its devices and sessions.
    let overview: OverviewFeature
    /// Knows which app is launched.
    let devices: RealDevicesFeature
    /// All operations beside this one.
    let others: OperationCatalogue

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var sessions: [(number: Int, state: SessionConnectionState)] = []
        for session in await self.overview.directory.currentSessions()
        where caller.mayUse(device: session.device) {
            guard let state = try? await session.facts.state else { continue }
            sessions.append((session.number, state))
        }
        let devices = self.overview.resolver.realDevices
        let state = CastState(
            hasDevices: devices.contains { $0.found != nil && caller.mayUse(device: $0.name) },
            sessions: sessions.map(\.state))
        return GatewayResult.json(
            GatewayResult.Source(
                context: self.overview.context, castState: state, app: self.devices.receiverApp,
                discovery: self.overview.discovery.state, sessions: sessions.map(\.number),
                operations: (self.others.currentDeclarations.map(\.name.rawValue) + [Self.name.rawValue]).sorted(),
                caller: caller))
    }
}

/// The gateway, and how casting stands.
private struct GatewayResult: ResultRecord {
    struct Source {
        let context: GatewayContext
        let castState: CastState
        let app: AppID?
        let discovery: DiscoveryState?
        let sessions: [Int]
        let operations: [String]
        let caller: Caller
    }

    let name = Field("name", "`gateway.name`") { $0.context.configuration.current.gateway.name }
    let version = Field("version", "The version of Castway") { $0.context.version }
    let phase = Field("phase", "How far it is") { $0.context.lifecycle.phase }
    let castState = Field(
        "cast_state", "How casting stands as a whole; of several sessions the one that is furthest counts"
    ) { $0.castState }
    let app = Field.optional(
        "receiver_app", "The app that sessions launch when none is named; missing when none is set"
    ) { $0.app?.rawValue }
    let discovery = Field.optional("discovery", DiscoveryResult.self, "Whether devices are searched for") {
        $0.discovery
    }
    let sessions = Field("sessions", "The numbers of the gateway's own sessions, by device") { $0.sessions }
    let operations = Field("operations", "What it can do, by name") { $0.operations }
    let unanswered = Embedded(Unanswered.self) { $0.caller }

    static let layout = ResultLayout(GatewayResult())
}
