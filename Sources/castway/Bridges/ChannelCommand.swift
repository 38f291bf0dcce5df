import ArgumentParser
import CastWire
import GatewayOperations

/// `castway channel`
struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Tries the bridges of a channel.",
        discussion: """
            Example:
              castway channel test urn:x-cast:com.example.chat
            """,
        subcommands: [ChannelTestCommand.self])
}

/// `castway channel test`
struct ChannelTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Sends one message through the bridges of a channel, and shows each step.",
        discussion: """
            Back ends get an event of the type 'channel.test', by the code that delivers messages; the broker gets it on the topic \
            'bridge/test'. Nothing is tried again, and no app and no sender gets anything.

            Example:
              castway channel test urn:x-cast:com.example.chat --device hall
            """)

    @Argument(help: "The namespace, urn:x-cast:….")
    var namespace: String

    @Option(help: ArgumentHelp("The virtual device whose channel is meant.", valueName: "name"))
    var device: String?

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        var input: JSONObject = ["namespace": .string(self.namespace)]
        input["device"] = self.device.map { .string($0) }
        let answer = try await OperationRequest(self.control).call("channel.test", input)
        if self.output.isJSON {
            StandardOutput.write(answer)
        } else {
            let steps = answer.array("steps")?.compactMap(\.objectValue) ?? []
            let rows = steps.map { step in
                [
                    step.bool("fine") == true ? "ok" : "FAILED", step.string("bridge") ?? "", step.string("step") ?? "",
                    step.string("text") ?? "", step["milliseconds"].map { "\($0.text) ms" } ?? "",
                ].map(\.printable)
            }
            StandardOutput.write(lines: TextTable(rows: rows).lines)
        }
        if answer.bool("fine") != true { throw CommandFailure(.refused) }
    }
}
