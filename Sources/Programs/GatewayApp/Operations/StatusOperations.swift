package import CastWire
import DeviceControl
import FeatureContract
package import GatewayOperations
import GatewaySettings
import NIOCore

/// `gateway.health`
struct CheckHealth: GatewayOperation {
    static let name: OperationName = "gateway.health"
    static let route = OperationRoute(.get, "/health")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Says whether senders can use the gateway, and what each part says of that"
    static let details =
        "It is what `/readyz?verbose` of the admin listener says, and it is answered whether they can or not."
    static let result = HealthResult.result("The health")

    let features: [any GatewayFeature]
    /// Knows how far the gateway is.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        HealthResult.json(GatewayReadiness(of: self.features, self.context.lifecycle, isVerbose: true))
    }
}

/// `gateway.status`
struct GetGatewayStatus: GatewayOperation {
    static let name: OperationName = "gateway.status"
    static let route = OperationRoute(.get, "/status")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Shows what runs: devices, senders, sessions, plugins, and what is not as it should be"
    static let details =
        "It puts together what `devices.list`, `senders.list`, `sessions.list` and `plugins.list` answer, and adds warnings. A caller that is "
        + "limited to devices sees what is about those, and no plugins."
    static let result = GatewayStatusResult.result("The gateway, and what runs")

    let features: [any GatewayFeature]
    /// Their operations.
    let parts: OperationCatalogue
    /// Knows the gateway.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let readiness = GatewayReadiness(of: self.features, self.context.lifecycle, isVerbose: false)
        var lists = JSONObject()
        // No plugins for callers that are limited to devices.
        for list in GatewayStatusResult.operations + (caller.devices == nil ? [ListPlugins.self] : []) {
            for member in try await self.parts.call(list.name, [:], for: caller).get().body.members {
                lists[member.name] = member.value
            }
        }
        lists[Unanswered.fields.subjects.member.name] = nil
        var warnings: [GatewayWarning] = []
        for feature in self.features { warnings += await feature.warnings }
        return GatewayStatusResult.json(
            GatewayStatusResult.Source(
                context: self.context, readiness: readiness, lists: lists, warnings: warnings, caller: caller))
    }
}

/// The health of the gateway.
private struct HealthResult: ResultRecord {
    typealias Source = GatewayReadiness

    let isReady = Field("ready", "Whether senders can use the gateway") { $0.isReady }
    let phase = Field("phase", "How far it is", as: .word(["starting", "waiting", "ready", "stopping"])) { $0.phase }
    let obstacles = Field("obstacles", "Why they cannot") { $0.obstacles }
    let details = Field("checks", "What each part says: `virtual_devices`, `plugins`, `devices`, …") { $0.details }

    static let layout = ResultLayout(HealthResult())
}

/// The gateway, and what runs.
package struct GatewayStatusResult: ResultRecord {
    package struct Source {
        let context: GatewayContext
        let readiness: GatewayReadiness
        /// The answers of other operations, in one.
        let lists: JSONObject
        let warnings: [GatewayWarning]
        let caller: Caller
    }

    /// The operations whose answers are a part of it, beside that which lists plugins.
    fileprivate static let operations: [any GatewayOperation.Type] = [
        ListDevices.self, ListSenders.self, ListSessions.self,
    ]

    package let name = Field("name", "`gateway.name`") { $0.context.configuration.current.gateway.name }
    package let version = Field("version", "The version of Castway") { $0.context.version }
    package let phase = Field(HealthResult.fields.phase) { $0.readiness }
    package let time = Field("time", "When this was answered, in seconds since 1970") {
        $0.context.seconds(of: .now())
    }
    package let since = Field("since", "When the gateway was started, in seconds since 1970") {
        $0.context.seconds(of: $0.context.startedAt)
    }
    let lists = Embedded(
        members: (Self.operations.flatMap { $0.result.members }
            + ListPlugins.result.members.map { .optional($0.name, $0.kind, $0.meaning) })
            .filter { $0.name != Unanswered.fields.subjects.member.name }
    ) { $0.lists }
    let unanswered = Embedded(Unanswered.self) { $0.caller }
    package let warnings = Field("warnings", listOf: WarningResult.self, "What is not as it should be") { source in
        source.warnings.filter { $0.isFor(source.caller) }
    }

    package static let layout = ResultLayout(GatewayStatusResult())
}
