import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayOperations

/// `discovery.start`
struct StartDiscovery: GatewayOperation {
    static let name: OperationName = "discovery.start"
    static let route = OperationRoute(.post, "/discovery/start")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Searches the network for devices from now on"
    static let details =
        "It holds until `discovery.stop`, a restart, or a reload that changes `discovery.mdns`. A search that goes on already goes on."
    static let result = OperationResult("Whether devices are searched for", DiscoveryResult.members)

    /// Searches.
    let feature: DiscoveryFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        do {
            try await self.feature.start()
        } catch {
            throw OperationProblem(GatewayError(.unavailable, "the gateway stops"))
        }
        return DiscoveryResult.json(self.feature.discovery.state)
    }
}

/// `discovery.stop`
struct StopDiscovery: GatewayOperation {
    static let name: OperationName = "discovery.stop"
    static let route = OperationRoute(.post, "/discovery/stop")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Searches the network for devices no more"
    static let details =
        "What was found goes from the list, and the devices of `discovery.static` stay. Channels that stand, and what plays, are not "
        + "touched. It holds until `discovery.start`, a restart, or a reload that changes `discovery.mdns`."
    static let result = OperationResult("Whether devices are searched for", DiscoveryResult.members)

    /// Searches.
    let feature: DiscoveryFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        do {
            try await self.feature.discovery.stop()
        } catch {
            throw OperationProblem(GatewayError(.unavailable, "the gateway stops"))
        }
        return DiscoveryResult.json(self.feature.discovery.state)
    }
}

/// What operations say of the search for devices.
enum DiscoveryResult {
    /// Its members.
    static let members: [OperationResult.Member] = [
        .init(
            "state", .word(["stopped", "starting", "running", "blocked"]),
            "Whether devices are searched for; `blocked` when they would be"),
        .optional("reason", .text, "What keeps it from searching"),
    ]

    /// The search as callers see it.
    static func json(_ state: DiscoveryState) -> JSONObject {
        var json: JSONObject = ["state": .string(state.name)]
        if case .blocked(let reason) = state { json["reason"] = .string(reason) }
        return json
    }
}
