import ArgumentParser
import CastWire
import ControlAPI
import GatewayApp
import GatewayConfig
import GatewayJournal
import GatewayOperations

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "call", "Has the running gateway do one of its operations.",
        """
        Without a name it lists the operations that are built in; 'castway call gateway.get' lists those of plugins too. What an operation takes and answers stands in \
        Docs/operations-reference.md, and 'castway call NAME --describe' shows it. Values are written as KEY=VALUE; a value \
        that is no text is written as in JSON. --input takes the whole input as a JSON object. Answers are JSON: indented, or \
        with --json in one line.

        Examples:
          castway call
          castway call session.start device=wall app=CC1AD845
          castway call session.start --describe
          castway call handler.disable --input '{"name": "media", "keep": true}'

        \(ExitStatus.help(.ok, .usage, .unreachable, .timedOut, .refused))
        """)

    @Argument(help: "The operation.", completion: .list(BuiltInOperations.all.map(\.name.rawValue))) var name: String?
    @Argument(help: .init("A key of the input with its value.", valueName: "key=value")) var values: [String] = []
    @Option(help: .init("The whole input.", valueName: "json")) var input: String?

    @Option(
        parsing: .unconditional,
        help: .init(
            "How long to wait for a command, from 0 to 10 seconds. Then its request is printed.", valueName: "seconds"))
    var wait: Double?

    @Option(help: .init("A second call with the same key is answered as the first.", valueName: "key"))
    var idempotencyKey: String?
    @Flag(help: "Shows what the operation takes and answers, and does nothing.") var describe = false
    @Flag(help: "Prints what all operations take and answer, in Markdown.") var reference = false
    @Flag(name: .customLong("openapi"), help: "Prints the OpenAPI 3.1 document of all operations.")
    var printsOpenAPI = false
    @Flag(name: .customLong("asyncapi"), help: "Prints the AsyncAPI 3 document of all events and frames.")
    var printsAsyncAPI = false
    @Flag(help: "Prints what all events say, in Markdown.") var eventReference = false
    @Flag(help: "Prints the errors of devices and sessions, with the numbers of the Cast SDKs, in Markdown.")
    var errorReference = false
    @OptionGroup var control: ControlOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        if self.reference { return StandardOutput.write(OperationReference.document(BuiltInOperations.all)) }
        if self.printsOpenAPI {
            let document = OpenAPIDocument(BuiltInOperations.all, version: CastwayVersion.current, takesTokens: true)
            return StandardOutput.write(document.text)
        }
        if self.printsAsyncAPI {
            let document = AsyncAPIDocument(EventCatalogue.all, version: CastwayVersion.current)
            return StandardOutput.write(document.text)
        }
        if self.errorReference { return StandardOutput.write(ErrorReference.document) }
        if self.eventReference { return StandardOutput.write(EventReference.document(EventCatalogue.all)) }
        guard let name else {
            return self.output.isJSON ? StandardOutput.write(Self.list) : StandardOutput.write(lines: Self.table)
        }
        guard let declaration = BuiltInOperations.all.first(where: { $0.name.rawValue == name }) else {
            if let plugin = try await PluginOperationCall.find(name, self.control) { return try await self.run(plugin) }
            let suggestion = EditDistance.suggestion(for: name, among: BuiltInOperations.all.map(\.name.rawValue))
            let hint = suggestion.map { "; did you mean '\($0)'?" } ?? "; 'castway call' lists them"
            throw CommandFailure(.usage, "there is no operation '\(name)'\(hint)")
        }
        if self.describe { return StandardOutput.write(OperationReference.text(declaration, level: 1)) }
        let input = try self.input(of: declaration)
        let options = try self.options(isCommand: declaration.isCommand, "'\(name)' does not wait for a device")
        let result = try await OperationRequest(self.control).call(declaration.name, input, options: options)
        self.show(result, isCommand: declaration.isCommand)
    }

    /// Has a plugin's operation done.
    private func run(_ plugin: PluginOperationCall) async throws {
        if self.describe { return StandardOutput.write(plugin.text) }
        let options = try self.options(isCommand: plugin.isCommand, "'\(plugin.name)' is no command")
        let input = try self.wholeInput() ?? plugin.input(fromTexts: self.texts(like: plugin.firstKey))
        switch try await OperationRequest(self.control).outcome(
            at: plugin.route, input, jsonKeys: plugin.jsonKeys, options: options)
        {
        case .success(let result): self.show(result, isCommand: plugin.isCommand)
        case .failure(let refusal): throw refusal.failure
        }
    }

    /// What `--wait` and `--idempotency-key` say.
    /// - Parameter problem: what is wrong with `--wait` when the operation is no command.
    private func options(isCommand: Bool, _ problem: String) throws -> CallOptions {
        var options = CallOptions()
        options.idempotencyKey = self.idempotencyKey
        guard let wait else { return options }
        guard isCommand else { throw CommandFailure(.usage, problem) }
        guard (0...10).contains(wait) else { throw CommandFailure(.usage, "--wait takes 0 to 10 seconds") }
        options.wait = .seconds(wait)
        return options
    }

    private func show(_ result: JSONObject, isCommand: Bool) {
        if self.output.isJSON { return StandardOutput.write(result) }
        StandardOutput.write(JSONValue.object(result).text(indented: true) + "\n")
        if isCommand, let id = result[at: CommandRequestResult.fields.id] {
            let text = "it goes on: 'castway call request.get request=\(id)' tells how it stands".printable
            StandardError.say(text, .note)
        }
    }

    private static var list: JSONObject {
        let operations = BuiltInOperations.all.map { operation -> JSONValue in
            [
                "name": .string(operation.name.rawValue), "scope": .string(operation.scope.rawValue),
                "method": .string(operation.route.method.rawValue),
                "path": .string(OperationRoute.prefix + operation.route.path), "summary": .string(operation.summary),
            ]
        }
        return ["operations": .array(operations)]
    }

    private static var table: [String] {
        let rows = BuiltInOperations.all.map { [$0.name.rawValue, $0.scope.rawValue, $0.summary] }
        return TextTable(rows: [["OPERATION", "SCOPE", "WHAT IT DOES"]] + rows).lines
    }

    /// The input of `--input`; nil without it.
    private func wholeInput() throws -> JSONObject? {
        guard let input else { return nil }
        guard self.values.isEmpty else { throw CommandFailure(.usage, "give KEY=VALUE or --input, not both") }
        guard let json = (try? JSONReader.read(document: input))?.objectValue else {
            throw CommandFailure(.usage, "--input must be a JSON object")
        }
        return json
    }

    /// The values that are written as `KEY=VALUE`.
    /// - Parameter example: a key that could be meant.
    private func texts(like example: String?) throws -> [(name: String, value: String)] {
        try self.values.map { value -> (name: String, value: String) in
            guard let equals = value.firstIndex(of: "="), equals > value.startIndex else {
                let first = example.map { "; did you mean '\($0)=\(value)'?" } ?? ""
                throw CommandFailure(.usage, "'\(value)' is not KEY=VALUE\(first)")
            }
            return (String(value[..<equals]), String(value[value.index(after: equals)...]))
        }
    }

    private func input(of declaration: OperationDeclaration) throws -> JSONObject {
        if let input = try self.wholeInput() { return input }
        let texts = try self.texts(like: declaration.fields.first?.name)
        if declaration.isRepeated(in: texts) { throw CommandFailure(.usage, "a key that is no list is given twice") }
        do {
            return try declaration.input(fromTexts: texts)
        } catch {
            throw OperationRefusal(json: error.json).failure
        }
    }
}
