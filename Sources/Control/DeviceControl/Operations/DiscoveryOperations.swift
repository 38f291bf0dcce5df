import CastWire
package import DeviceSessions
import GatewayConfig
import GatewayCore
package import GatewayOperations

/// `discovery.start`
struct StartDiscovery: GatewayOperation {
    static let name: OperationName = "discovery.start"
    static let route = OperationRoute(.post, "/discovery/start")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Searches the network for devices from now on"
    static let details =
        "It holds until `discovery.stop`, a restart, or a reload that changes `discovery.mdns`. A search that goes on already goes on."
    static let result = DiscoveryResult.result("Whether devices are searched for")

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
    static let result = DiscoveryResult.result("Whether devices are searched for")

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

/// The search for devices, as operations answer with it.
package struct DiscoveryResult: ResultRecord {
    package typealias Source = DiscoveryState

    package let state = Field(
        "state", "Whether devices are searched for; `blocked` when they would be",
        as: .word(["stopped", "starting", "running", "blocked"])
    ) { $0.name }
    package let reason = Field.optional("reason", "What keeps it from searching") { state -> String? in
        if case .blocked(let reason) = state { reason } else { nil }
    }

    package static let layout = ResultLayout(DiscoveryResult())
}
