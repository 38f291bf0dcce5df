import ArgumentParser
import CastWire
import GatewayApp
import GatewayConfig
import GatewayOperations

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "outbox", "Shows messages that have not arrived at their bridge yet, and those that were given up.",
        """
        What the gateway has taken for a webhook, the broker or an app that does not run is kept on disk until it has arrived. A \
        message that a back end refuses again and again becomes a dead letter, which can be tried again or taken out.
        """,
        examples: [
            "castway outbox list", "castway outbox list --state dead",
            "castway outbox show msg_01JCASTWAY0000000000000001", "castway outbox replay --to webhook:backend",
            "castway outbox purge --to webhook:old --state dead",
        ],
        subcommands: [OutboxList.asCommand, OutboxShow.asCommand, OutboxReplay.asCommand, OutboxPurge.asCommand])

    fileprivate static let stateHelp = ArgumentHelp(
        "Only those that are 'waiting', 'parked' or 'dead'.", valueName: "state")
}

struct OutboxList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists messages of the outbox, the oldest first.",
        examples: [
            "castway outbox list --to webhook:backend",
            "castway outbox list --state dead --json | jq -r '.messages[].id'",
        ])
    static let operation: OperationName = "outbox.list"

    @Option(name: .customLong("to"), help: .init("Only those for this bridge.", valueName: "bridge"))
    var destination: String?
    @Option(help: .init("Only those about this device.", valueName: "name")) var device: String?
    @Option(help: OutboxCommand.stateHelp) var state: String?
    @Option(help: .init("How many at most.", valueName: "count")) var limit = 100

    var input: CallInput {
        ["limit": self.limit, "destination": self.destination, "device": self.device, "state": self.state]
    }

    func lines(_ answer: JSONObject) -> [String] {
        let fields = OutboxMessageResult.fields
        let table = TextTable.lines(
            answer[at: OutboxListResult.fields.messages], else: "Nothing waits, and nothing was given up.",
            AnswerColumn("ID", fields.id), AnswerColumn("TO", fields.destination),
            AnswerColumn("DEVICE", fields.device, else: "-"), AnswerColumn("TYPE", fields.type),
            AnswerColumn("STATE", fields.state), AnswerColumn("ATTEMPTS", count: fields.attempts),
            AnswerColumn("TAKEN AT", fields.takenAt), AnswerColumn("WHY", fields.reason))
        let hasMore = answer[at: OutboxListResult.fields.hasMore] == true
        return hasMore ? table + ["There are more; '--limit' shows up to 1000."] : table
    }
}

struct OutboxShow: OperationCall {
    static let configuration = CommandConfiguration(
        "show", "Shows a message of the outbox with what is delivered.",
        examples: ["castway outbox show msg_01JCASTWAY0000000000000001"])
    static let operation: OperationName = "outbox.show"

    @Argument(help: "The id of the message.") var id: String

    var input: CallInput { ["id": self.id] }

    func lines(_ answer: JSONObject) -> [String] {
        let fields = OutboxContentResult.fields
        let bodies = [fields.jsonBody.member.name, fields.textBody.member.name, fields.base64Body.member.name]
        let rows = answer.members.filter { !bodies.contains($0.name) }.map { member in
            [member.name, (member.value.stringValue ?? member.value.text).printable]
        }
        let body = bodies.compactMap { name in answer[name].map { $0.stringValue ?? $0.text(indented: true) } }
        return TextTable(rows: rows).lines + [""] + body.flatMap { $0.split(separator: "\n").map { "\($0)".printable } }
    }
}

struct OutboxReplay: OperationCall {
    static let configuration = CommandConfiguration(
        "replay", "Has dead letters tried again, with all attempts that there are.",
        examples: [
            "castway outbox replay msg_01JCASTWAY0000000000000001", "castway outbox replay --to webhook:backend",
        ])
    static let operation: OperationName = "outbox.replay"

    @OptionGroup var selection: OutboxSelectionOption

    var input: CallInput {
        ["id": self.selection.id, "destination": self.selection.destination, "device": self.selection.device]
    }

    func lines(_ answer: JSONObject) -> [String] {
        ["Tried again: \(answer[at: OutboxCountResult.fields.count] ?? 0) messages."]
    }
}

struct OutboxPurge: OperationCall {
    static let configuration = CommandConfiguration(
        "purge", "Takes messages out of the outbox for good.",
        examples: [
            "castway outbox purge msg_01JCASTWAY0000000000000001", "castway outbox purge --to webhook:old",
            "castway outbox purge --to webhook:backend --state dead",
        ])
    static let operation: OperationName = "outbox.purge"

    @OptionGroup var selection: OutboxSelectionOption
    @Option(help: OutboxCommand.stateHelp) var state: String?

    var input: CallInput {
        [
            "id": self.selection.id, "destination": self.selection.destination, "device": self.selection.device,
            "state": self.state,
        ]
    }

    func lines(_ answer: JSONObject) -> [String] {
        ["Taken out: \(answer[at: OutboxCountResult.fields.count] ?? 0) messages."]
    }
}

/// The messages that a command is about: one, or those for a bridge.
struct OutboxSelectionOption: ParsableArguments {
    @Argument(help: "The id of one message.") var id: String?
    @Option(name: .customLong("to"), help: .init("Those for this bridge.", valueName: "bridge"))
    var destination: String?
    @Option(help: .init("Of those, the ones about this device.", valueName: "name")) var device: String?

    func validate() throws {
        guard self.id != nil || self.destination != nil else {
            throw ValidationError("Say which messages: an id, or '--to' and a bridge.")
        }
    }
}
