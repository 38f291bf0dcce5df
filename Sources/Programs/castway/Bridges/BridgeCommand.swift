import ArgumentParser
import CastWire
import GatewayApp
import GatewayOperations

struct BridgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "bridge", "Lists the bridges of the running gateway, and has them tried again.",
        examples: ["castway bridge list", "castway bridge resume webhook:backend"],
        subcommands: [BridgeList.asCommand, BridgeResume.asCommand])
}

struct BridgeList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists webhooks and the broker, with what waits for each.",
        examples: [
            "castway bridge list",
            #"castway bridge list --json | jq -r '.bridges[] | select(.state != "up") | .bridge'"#,
        ])
    static let operation: OperationName = "bridges.list"

    func lines(_ answer: JSONObject) -> [String] {
        let fields = BridgeResult.fields
        return TextTable.lines(
            answer[at: BridgeListResult.fields.bridges],
            else: "There are no bridges; 'bridges' in gateway.yaml says which there are.",
            AnswerColumn("BRIDGE", fields.bridge), AnswerColumn("STATE", fields.state),
            AnswerColumn("WAITING", count: fields.waiting), AnswerColumn("DEAD", count: fields.dead),
            AnswerColumn("DELIVERED", count: fields.delivered), AnswerColumn("REFUSED", count: fields.refused),
            AnswerColumn("NOT TAKEN", count: fields.notTaken))
    }
}

struct BridgeResume: OperationCall {
    static let configuration = CommandConfiguration(
        "resume", "Has a bridge tried at once that cannot be reached, or that wanted nothing any more (HTTP 410).",
        examples: ["castway bridge resume webhook:backend"])
    static let operation: OperationName = "bridge.resume"

    @Argument(help: .init("The bridge, as 'castway bridge list' has it.", valueName: "bridge")) var bridge: String

    var input: CallInput { ["bridge": self.bridge] }

    func lines(_ answer: JSONObject) -> [String] { ["'\(self.bridge)' is tried now."] }
}
