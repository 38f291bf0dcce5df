import CastWire
import GatewayOperations
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
    static let result = OperationResult(
        "The health",
        [
            .init("ready", .boolean, "Whether senders can use the gateway"),
            .init("phase", .word(["starting", "waiting", "ready", "stopping"]), "How far it is"),
            .init("obstacles", .list(.text), "Why they cannot"),
            .init("checks", .map(.anything), "What each part says: `virtual_devices`, `plugins`, `devices`, …"),
        ])

    /// The features.
    let features: [any GatewayFeature]
    /// Knows how far the gateway is.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let readiness = GatewayReadiness(of: self.features, self.context.lifecycle, isVerbose: true)
        return [
            "ready": .bool(readiness.isReady), "phase": .string(readiness.phase),
            "obstacles": .array(readiness.obstacles.map { .string($0) }), "checks": .object(readiness.details),
        ]
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
    static let result = OperationResult(
        "The gateway, and what runs",
        [
            .init("name", .text, "`gateway.name`"),
            .init("version", .text, "The version of Castway"),
            .init("phase", .word(["starting", "waiting", "ready", "stopping"]), "How far it is"),
            .init("time", .integer, "When this was answered, in seconds since 1970"),
            .init("since", .integer, "When the gateway was started, in seconds since 1970"),
        ] + ListDevices.members + ListSenders.members + ListSessions.members
            + ListPlugins.members.map { .optional($0.name, $0.kind, $0.meaning) }
            + [
                Unanswered.member,
                .init("warnings", .list(.object(GatewayWarning.members)), "What is not as it should be"),
            ])

    /// The features.
    let features: [any GatewayFeature]
    /// Their operations.
    let parts: OperationCatalogue
    /// Knows the gateway.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let readiness = GatewayReadiness(of: self.features, self.context.lifecycle, isVerbose: false)
        var json: JSONObject = [
            "name": .string(self.context.configuration.current.gateway.name),
            "version": .string(self.context.version), "phase": .string(readiness.phase),
            "time": self.context.time(of: .now()), "since": self.context.time(of: self.context.startedAt),
        ]
        for name in [ListDevices.name, ListSenders.name, ListSessions.name] {
            for member in try await self.parts.call(name, [:], for: caller).get().body.members {
                json[member.name] = member.value
            }
        }
        // Not for callers that are limited to devices.
        if caller.devices == nil {
            for member in try await self.parts.call(ListPlugins.name, [:], for: caller).get().body.members {
                json[member.name] = member.value
            }
        }
        var warnings: [GatewayWarning] = []
        for feature in self.features { warnings += await feature.warnings }
        json["warnings"] = .array(warnings.filter { $0.isFor(caller) }.map { .object($0.json) })
        Unanswered.add(to: &json, for: caller)
        return json
    }
}
