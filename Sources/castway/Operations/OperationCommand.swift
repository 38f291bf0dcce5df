import ArgumentParser
import CastWire
import GatewayOperations

/// A command that has the running gateway do one operation, and prints the answer: as lines, or with `--json` as it is.
protocol OperationCommand: AsyncParsableCommand {
    var control: ControlOption { get }
    var output: OutputOption<TextOrJSON> { get }
    /// The operation, and what it takes.
    var call: (name: OperationName, input: JSONObject) { get }

    /// The answer for people.
    func lines(_ answer: JSONObject) -> [String]
}

extension OperationCommand {
    func run() async throws {
        let answer = try await OperationRequest(self.control).call(self.call.name, self.call.input)
        if self.output.isJSON { return StandardOutput.write(answer) }
        StandardOutput.write(lines: self.lines(answer))
    }
}
