import ArgumentParser
import CastWire
import GatewayOperations
import HandlerControl

struct HandlerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "handler", "Lists the handlers of the running gateway, and switches them on and off.",
        """
        A handler that is off is not asked about messages: it neither changes nor answers nor refuses any. What the \
        'apps' of a virtual device forbid stays forbidden.
        """,
        examples: [
            "castway handler list", "castway handler disable media              until the gateway ends",
            "castway handler disable media --keep       for good",
            "castway handler reset media                as gateway.yaml says",
        ],
        subcommands: [HandlerList.asCommand, HandlerEnable.asCommand, HandlerDisable.asCommand, HandlerReset.asCommand])
}

struct HandlerList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the handlers of the running gateway in the order in which they are asked.",
        examples: [
            "castway handler list", "castway handler list --json | jq -r '.handlers[] | select(.switched) | .name'",
        ])
    static let operation: OperationName = "handlers.list"

    func lines(_ answer: JSONObject) -> [String] {
        let fields = HandlerResult.fields
        return TextTable(
            answer[at: HandlerListResult.fields.handlers] ?? [],
            [
                AnswerColumn("", fields.position), AnswerColumn("NAME", fields.name),
                AnswerColumn("STATE", Self.state), AnswerColumn("DEVICES", fields.devices, else: "all"),
                AnswerColumn("REPLACES", fields.replaces, else: "-"), AnswerColumn("CONFIGURED AT", fields.origin),
                AnswerColumn("ASKED ABOUT", Self.claims),
            ]
        ).lines
    }

    /// Whether the handler is on, and who says so.
    static func state(_ handler: JSONObject) -> String {
        let isEnabled = handler[at: SwitchedHandlerResult.fields.isEnabled]
        var state = isEnabled.map { $0 ? "on" : "off" } ?? "not there"
        if handler[at: SwitchedHandlerResult.fields.isSwitched] == true { state += " by command" }
        if let kept = handler[at: SwitchedHandlerResult.fields.kept] {
            state += kept == isEnabled ? ", kept" : ", kept \(kept ? "on" : "off")"
        }
        return state
    }

    private static func claims(_ handler: JSONObject) -> String {
        let claims = (handler[at: HandlerResult.fields.claims] ?? []).map { claim in
            var text = "\(claim.string("phase") ?? "") \(claim.string("match") ?? "")"
            let types = claim.texts("types")
            if types.count == 1 { text += " \(types[0])" } else if !types.isEmpty { text += " (\(types.count) types)" }
            let directions = claim.texts("directions")
            if directions.count > 1 {
                text += " both ways"
            } else if directions == ["to_sender"] {
                text += " to senders"
            }
            return text
        }
        return claims.isEmpty ? "nothing" : claims.joined(separator: "; ")
    }
}
