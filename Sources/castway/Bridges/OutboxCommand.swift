import ArgumentParser
import CastWire
import GatewayConfig
import GatewayOperations

/// `castway outbox`
struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Shows messages that have not arrived at their bridge yet, and those that were given up.",
        discussion: """
            What the gateway has taken for a webhook, the broker or an app that does not run is kept on disk until it has arrived. A \
            message that a back end refuses again and again becomes a dead letter, which can be tried again or taken out.

            Examples:
              castway outbox list
              castway outbox list --state dead
              castway outbox show msg_01JCASTWAY0000000000000001
              castway outbox replay --to webhook:backend
              castway outbox purge --to webhook:old --state dead
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxReplayCommand.self, OutboxPurgeCommand.self,
        ])
}

/// `castway outbox list`
struct OutboxListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists messages of the outbox, the oldest first.",
        discussion: """
            Examples:
              castway outbox list --to webhook:backend
              castway outbox list --state dead --json | jq -r '.messages[].id'
            """)

    @Option(name: .customLong("to"), help: ArgumentHelp("Only those for this bridge.", valueName: "bridge"))
    var destination: String?

    @Option(help: ArgumentHelp("Only those about this device.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("Only those that are 'waiting', 'parked' or 'dead'.", valueName: "state"))
    var state: String?

    @Option(help: ArgumentHelp("How many at most.", valueName: "count"))
    var limit = 100

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) {
        var input: JSONObject = ["limit": .number(self.limit)]
        input["destination"] = self.destination.map { .string($0) }
        input["device"] = self.device.map { .string($0) }
        input["state"] = self.state.map { .string($0) }
        return ("outbox.list", input)
    }

    func lines(_ answer: JSONObject) -> [String] {
        let messages = answer.array("messages")?.compactMap(\.objectValue) ?? []
        guard !messages.isEmpty else { return ["Nothing waits, and nothing was given up."] }
        let heading = ["ID", "TO", "DEVICE", "TYPE", "STATE", "ATTEMPTS", "TAKEN AT", "WHY"]
        let rows = messages.map { message in
            [
                message.string("id") ?? "", message.string("destination") ?? "", message.string("device") ?? "-",
                message.string("type") ?? "", message.string("state") ?? "", "\(message.int("attempts") ?? 0)",
                message.string("taken_at") ?? "", message.string("reason") ?? "",
            ].map(\.printable)
        }
        let more = answer.bool("more") == true ? ["There are more; '--limit' shows up to 1000."] : []
        return TextTable(rows: [heading] + rows).lines + more
    }
}

/// `castway outbox show`
struct OutboxShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a message of the outbox with what is delivered.",
        discussion: """
            Example:
              castway outbox show msg_01JCASTWAY0000000000000001
            """)

    @Argument(help: "The id of the message.")
    var id: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) { ("outbox.show", ["id": .string(self.id)]) }

    func lines(_ answer: JSONObject) -> [String] {
        let bodies = ["json", "text", "base64"]
        let rows = answer.members.filter { !bodies.contains($0.name) }.map { member in
            [member.name, (member.value.stringValue ?? member.value.text).printable]
        }
        let body = bodies.compactMap { name in answer[name].map { $0.stringValue ?? $0.text(indented: true) } }
        return TextTable(rows: rows).lines + [""] + body.flatMap { $0.split(separator: "\n").map { "\($0)".printable } }
    }
}

/// `castway outbox replay`
struct OutboxReplayCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Has dead letters tried again, with all attempts that there are.",
        discussion: """
            Examples:
              castway outbox replay msg_01JCASTWAY0000000000000001
              castway outbox replay --to webhook:backend
            """)

    @OptionGroup var selection: OutboxSelectionOption

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) { ("outbox.replay", self.selection.input) }

    func lines(_ answer: JSONObject) -> [String] { ["Tried again: \(answer.int("count") ?? 0) messages."] }
}

/// `castway outbox purge`
struct OutboxPurgeCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Takes messages out of the outbox for good.",
        discussion: """
            Examples:
              castway outbox purge msg_01JCASTWAY0000000000000001
              castway outbox purge --to webhook:old
              castway outbox purge --to webhook:backend --state dead
            """)

    @OptionGroup var selection: OutboxSelectionOption

    @Option(help: ArgumentHelp("Only those that are 'waiting', 'parked' or 'dead'.", valueName: "state"))
    var state: String?

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) {
        var input = self.selection.input
        input["state"] = self.state.map { .string($0) }
        return ("outbox.purge", input)
    }

    func lines(_ answer: JSONObject) -> [String] { ["Taken out: \(answer.int("count") ?? 0) messages."] }
}

/// Which messages a command is about: one, or those for a bridge.
struct OutboxSelectionOption: ParsableArguments {
    @Argument(help: "The id of one message.")
    var id: String?

    @Option(name: .customLong("to"), help: ArgumentHelp("Those for this bridge.", valueName: "bridge"))
    var destination: String?

    @Option(help: ArgumentHelp("Of those, the ones about this device.", valueName: "name"))
    var device: String?

    func validate() throws {
        guard self.id != nil || self.destination != nil else {
            throw ValidationError("Say which messages: an id, or '--to' and a bridge.")
        }
    }

    var input: JSONObject {
        var input = JSONObject()
        input["id"] = self.id.map { .string($0) }
        input["destination"] = self.destination.map { .string($0) }
        input["device"] = self.device.map { .string($0) }
        return input
    }
}
