import ArgumentParser
import CastWire
import GatewayOperations

/// `castway bridge`
struct BridgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Lists the bridges of the running gateway, and has them tried again.",
        discussion: """
            Examples:
              castway bridge list
              castway bridge resume webhook:backend
            """,
        subcommands: [BridgeListCommand.self, BridgeResumeCommand.self])
}

/// `castway bridge list`
struct BridgeListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists webhooks and the broker, with what waits for each.",
        discussion: """
            Examples:
              castway bridge list
              castway bridge list --json | jq -r '.bridges[] | select(.state != "up") | .bridge'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) { ("bridges.list", [:]) }

    func lines(_ answer: JSONObject) -> [String] {
        let bridges = answer.array("bridges")?.compactMap(\.objectValue) ?? []
        guard !bridges.isEmpty else { return ["There are no bridges; 'bridges' in gateway.yaml says which there are."] }
        let heading = ["BRIDGE", "STATE", "WAITING", "DEAD", "DELIVERED", "REFUSED", "NOT TAKEN"]
        let rows = bridges.map { bridge in
            [bridge.string("bridge") ?? "", bridge.string("state") ?? ""]
                + ["waiting", "dead", "delivered", "refused", "not_taken"].map { "\(bridge.int($0) ?? 0)" }
        }
        return TextTable(rows: [heading] + rows.map { $0.map(\.printable) }).lines
    }
}

/// `castway bridge resume`
struct BridgeResumeCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Has a bridge tried at once that cannot be reached, or that wanted nothing any more (HTTP 410).",
        discussion: """
            Example:
              castway bridge resume webhook:backend
            """)

    @Argument(help: ArgumentHelp("The bridge, as 'castway bridge list' has it.", valueName: "bridge"))
    var bridge: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) { ("bridge.resume", ["bridge": .string(self.bridge)]) }

    func lines(_ answer: JSONObject) -> [String] { ["'\(self.bridge)' is tried now."] }
}
