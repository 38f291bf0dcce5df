import ArgumentParser
import CastWire
import GatewayApp
import GatewayOperations

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "channel", "Tries the bridges of a channel.", examples: ["castway channel test urn:x-cast:com.example.chat"],
        subcommands: [ChannelTest.asCommand])
}

struct ChannelTest: OperationCall {
    static let configuration = CommandConfiguration(
        "test", "Sends one message through the bridges of a channel, and shows each step.",
        """
        Back ends get an event of the type 'channel.test', by the code that delivers messages; the broker gets it on the topic \
        'bridge/test'. Nothing is tried again, and no app and no sender gets anything.
        """,
        examples: ["castway channel test urn:x-cast:com.example.chat --device hall"])
    static let operation: OperationName = "channel.test"

    @Argument(help: "The namespace, urn:x-cast:….") var namespace: String
    @Option(help: .init("The virtual device whose channel is meant.", valueName: "name")) var device: String?

    var input: CallInput { ["namespace": self.namespace, "device": self.device] }

    func lines(_ answer: JSONObject) -> [String] {
        let fields = BridgeTestStepResult.fields
        let rows = (answer[at: ChannelTestResult.fields.steps] ?? []).map { step in
            [
                step[at: fields.isFine] == true ? "ok" : "FAILED", step.text(fields.bridge), step.text(fields.name),
                step.text(fields.text), step[at: fields.milliseconds].map { "\(JSONValue.number($0).text) ms" } ?? "",
            ].map(\.printable)
        }
        return TextTable(rows: rows).lines
    }

    func run(_ request: OperationRequest, isJSON: Bool) async throws {
        let answer = try await request.call(Self.operation, self.input.json)
        self.show(answer, isJSON: isJSON)
        if answer[at: ChannelTestResult.fields.isFine] != true { throw CommandFailure(.refused) }
    }
}
