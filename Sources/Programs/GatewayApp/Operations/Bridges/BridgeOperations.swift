package import CastWire
import GatewayConfig
package import GatewayOperations
package import MessageBridges

/// `bridges.list`
struct ListBridges: GatewayOperation {
    static let name: OperationName = "bridges.list"
    static let route = OperationRoute(.get, "/bridges")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Lists the bridges, with what waits for each"
    static let details =
        "Bridges that are not in the configuration any more are listed as long as the outbox has messages for them."
    static let result = BridgeListResult.result("The bridges")

    /// Knows them.
    let bridges: Bridges

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        BridgeListResult.json(self.bridges.conditions)
    }
}

/// `bridge.resume`
struct ResumeBridge: GatewayOperation {
    static let name: OperationName = "bridge.resume"
    static let route = OperationRoute(.post, "/bridges/{bridge}/resume")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has a bridge tried at once that cannot be reached, or that wanted nothing any more"
    static let result = ResumedBridgeResult.result("Which it was")
    static let problems = [OperationProblemCase("unknown_bridge", 404, "there is no such bridge")]

    struct Input: OperationInput {
        var bridge = ""

        static let keys: [Key] = [
            .required(
                "bridge", \.bridge, .text(maximumBytes: 128), "The bridge as `bridges.list` has it",
                example: "webhook:backend")
        ]

        init(blank: ConfigBlank) {}
    }

    /// Has its messages.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard self.outbox.standings[input.bridge] != nil else {
            throw .missing("unknown_bridge", "there is no bridge '\(input.bridge)'")
        }
        try await OutboxProblem.translating { try await self.outbox.resume(input.bridge) }
        return ResumedBridgeResult.json(input.bridge)
    }
}

/// The bridges, with what waits for each.
package struct BridgeListResult: ResultRecord {
    package typealias Source = [BridgeResult.Source]

    package let bridges = Field("bridges", listOf: BridgeResult.self, "By name") { $0 }

    package static let layout = ResultLayout(BridgeListResult())
}

/// A bridge, with what waits for it.
package struct BridgeResult: ResultRecord {
    package typealias Source = (name: String, outbox: OutboxStatistics, reason: String?)

    package let bridge = Field("bridge", "Which: `webhook:NAME`, `mqtt`, or `app` for messages to apps") { $0.name }
    package let state = Field("state", "Whether it takes messages") { $0.outbox.state }
    package let reason = Field.optional("reason", "Why it does not, where that is known") { $0.reason }
    package let waiting = Field("waiting", "Messages that are on their way to it") { $0.outbox.waiting }
    package let waitingBytes = Field("waiting_bytes", "What they take") { $0.outbox.waitingBytes }
    package let dead = Field("dead", "Dead letters that are kept") { $0.outbox.dead }
    package let delivered = Field("delivered", "Messages that have arrived since the gateway started") {
        $0.outbox.delivered
    }
    package let refused = Field("refused", "Attempts that it refused since then") { $0.outbox.refused }
    package let givenUp = Field("given_up", "Messages that became dead letters since then") { $0.outbox.buried }
    package let notTaken = Field("not_taken", "Messages that were not taken since then, since too much waited") {
        $0.outbox.overflowed
    }

    package static let layout = ResultLayout(BridgeResult())
}

/// The bridge that is tried at once.
struct ResumedBridgeResult: ResultRecord {
    typealias Source = String

    let bridge = Field("bridge", "The bridge") { $0 }

    static let layout = ResultLayout(ResumedBridgeResult())
}
