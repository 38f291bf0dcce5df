import ArgumentParser
import CastWire
import GatewayOperations

/// `castway handler`
struct HandlerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handler",
        abstract: "Lists the handlers of the running gateway, and switches them on and off.",
        discussion: """
            A handler that is off is not asked about messages: it neither changes nor answers nor refuses any. What the \
            'apps' of a virtual device forbid stays forbidden.

            Examples:
              castway handler list
              castway handler disable media              until the gateway ends
              castway handler disable media --keep       for good
              castway handler reset media                as gateway.yaml says
            """,
        subcommands: [
            HandlerListCommand.self, HandlerEnableCommand.self, HandlerDisableCommand.self, HandlerResetCommand.self,
        ])
}

/// `castway handler list`
struct HandlerListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the handlers of the running gateway in the order in which they are asked.",
        discussion: """
            Examples:
              castway handler list
              castway handler list --json | jq -r '.handlers[] | select(.switched) | .name'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("handlers.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let handlers = answer.array("handlers")?.compactMap(\.objectValue) ?? []
        StandardOutput.write(lines: HandlerTableText(handlers).lines)
    }
}

/// The handlers as `handler list` prints them.
struct HandlerTableText {
    let handlers: [JSONObject]

    init(_ handlers: [JSONObject]) { self.handlers = handlers }

    var lines: [String] {
        let heading = ["", "NAME", "STATE", "DEVICES", "REPLACES", "CONFIGURED AT", "ASKED ABOUT"]
        let rows = self.handlers.map { handler in
            [
                handler.int("position").map { "\($0)" } ?? "", handler.string("name") ?? "", Self.state(handler),
                Self.names(handler, "devices") ?? "all", Self.names(handler, "replaces") ?? "-",
                handler.string("origin") ?? "", Self.claims(handler),
            ].map(\.printable)
        }
        return TextTable(rows: [heading] + rows).lines
    }

    /// Whether the handler is on, and who says so.
    static func state(_ handler: JSONObject) -> String {
        var state = handler.bool("enabled").map { $0 ? "on" : "off" } ?? "not there"
        let kept = handler.bool("kept")
        if handler.bool("switched") == true { state += " by command" }
        if let kept {
            state += kept == handler.bool("enabled") ? ", kept" : ", kept \(kept ? "on" : "off")"
        }
        return state
    }

    private static func names(_ handler: JSONObject, _ key: String) -> String? {
        handler.array(key)?.compactMap(\.stringValue).joined(separator: ", ")
    }

    private static func claims(_ handler: JSONObject) -> String {
        let claims = (handler.array("claims") ?? []).compactMap(\.objectValue).map { claim in
            var text = "\(claim.string("phase") ?? "") \(claim.string("match") ?? "")"
            let types = claim.array("types")?.compactMap(\.stringValue) ?? []
            if types.count == 1 { text += " \(types[0])" } else if !types.isEmpty { text += " (\(types.count) types)" }
            let directions = claim.array("directions")?.compactMap(\.stringValue) ?? []
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
