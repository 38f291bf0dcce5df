import ArgumentParser
import CastWire
import GatewayOperations

/// One operation of the running gateway as a command: its name and help, the options that fill its input, and the answer for people.
///
/// ``OperationCommand`` makes a command of it, with `--admin`, `--config`, `--json` and `--color`.
protocol OperationCall: ParsableArguments {
    static var configuration: CommandConfiguration { get }
    /// The name of the operation.
    static var operation: OperationName { get }

    /// The input of the operation.
    var input: CallInput { get }

    /// The lines for people.
    func lines(_ answer: JSONObject) -> [String]

    /// The remarks on the answer that go to standard error, printable already.
    func notes(_ answer: JSONObject) -> [String]

    /// Calls the operation and prints the answer. Only a command with several calls needs its own.
    func run(_ request: OperationRequest, isJSON: Bool) async throws
}

extension OperationCall {
    static var asCommand: any ParsableCommand.Type { OperationCommand<Self>.self }

    /// No input.
    var input: CallInput { [:] }

    func notes(_ answer: JSONObject) -> [String] { [] }

    func run(_ request: OperationRequest, isJSON: Bool) async throws {
        self.show(try await request.call(Self.operation, self.input.json), isJSON: isJSON)
    }

    /// Prints an answer: as lines, or as it is.
    func show(_ answer: JSONObject, isJSON: Bool) {
        if isJSON { return StandardOutput.write(answer) }
        StandardOutput.write(lines: self.lines(answer))
        for note in self.notes(answer) { StandardError.say(note, .note) }
    }
}

/// The command of an ``OperationCall``.
struct OperationCommand<Call: OperationCall>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Call.configuration }

    @OptionGroup var call: Call
    @OptionGroup var control: ControlOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await self.call.run(OperationRequest(self.control), isJSON: self.output.isJSON)
    }
}

/// The input of a call: the keys of the operation with values of options. A key without a value is left out.
struct CallInput: ExpressibleByDictionaryLiteral {
    let json: JSONObject

    init(dictionaryLiteral elements: (String, (any MemberValue)?)...) {
        self.json = JSONObject(elements.compactMap { name, value in (value?.jsonValue).map { (name, $0) } })
    }
}

extension Collection {
    /// The list of an option that may be given several times; nil when it was not given.
    var ifGiven: Self? { self.isEmpty ? nil : self }
}
