import CastWire
import GatewayConfig
import GatewayOperations
import MessageBridges

/// `bridges.list`
struct ListBridges: GatewayOperation {
    static let name: OperationName = "bridges.list"
    static let route = OperationRoute(.get, "/bridges")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Lists the bridges, with what waits for each"
    static let details =
        "Bridges that are not in the configuration any more are listed as long as the outbox has messages for them."
    static let result = OperationResult(
        "The bridges", [.init("bridges", .list(.object(Self.members)), "By name")])

    private static let members: [OperationResult.Member] = [
        .init("bridge", .text, "Which: `webhook:NAME`, `mqtt`, or `app` for messages to apps"),
        .init("state", .word(OutboxStanding.State.allCases.map(\.rawValue)), "Whether it takes messages"),
        .optional("reason", .text, "Why it does not, where that is known"),
        .init("waiting", .integer, "Messages that are on their way to it"),
        .init("waiting_bytes", .integer, "What they take"), .init("dead", .integer, "Dead letters that are kept"),
        .init("delivered", .integer, "Messages that have arrived since the gateway started"),
        .init("refused", .integer, "Attempts that it refused since then"),
        .init("given_up", .integer, "Messages that became dead letters since then"),
        .init("not_taken", .integer, "Messages that were not taken since then, since too much waited"),
    ]

    /// Knows them.
    let bridges: Bridges

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let bridges = self.bridges.conditions.map { name, standing, reason in
            var json: JSONObject = [
                "bridge": .string(name), "state": .string(standing.state.rawValue),
                "waiting": .number(standing.waiting), "waiting_bytes": .number(standing.waitingBytes),
                "dead": .number(standing.dead), "delivered": .number(standing.delivered),
                "refused": .number(standing.refused), "given_up": .number(standing.buried),
                "not_taken": .number(standing.overflowed),
            ]
            if let reason { json["reason"] = .string(reason) }
            return JSONValue.object(json)
        }
        return ["bridges": .array(bridges)]
    }
}

/// `bridge.resume`
struct ResumeBridge: GatewayOperation {
    static let name: OperationName = "bridge.resume"
    static let route = OperationRoute(.post, "/bridges/{bridge}/resume")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has a bridge tried at once that cannot be reached, or that wanted nothing any more"
    static let result = OperationResult("Which it was", [.init("bridge", .text, "The bridge")])
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
        return ["bridge": .string(input.bridge)]
    }
}
