import ArgumentParser
import CastWire
import GatewayOperations

/// Which handler a command is about.
struct HandlerArgument: ParsableArguments {
    @Argument(help: "The handler's name as 'castway handler list' shows it; for a channel its namespace will do.")
    var name: String
}

/// For how long a command holds.
struct KeepOption: ParsableArguments {
    @Flag(help: "Holds after a restart of the gateway too.")
    var keep = false
}

/// `castway handler enable`
struct HandlerEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Has a handler of the running gateway asked about messages.",
        discussion: """
            Example:
              castway handler enable media
            """)

    @OptionGroup var handler: HandlerArgument

    @OptionGroup var keeping: KeepOption

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await OperationRequest(self.control).change(
            "handler.enable", ["name": .string(self.handler.name), "keep": .bool(self.keeping.keep)],
            asJSON: self.output.isJSON)
    }
}

/// `castway handler disable`
struct HandlerDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Has a handler of the running gateway not asked about messages.",
        discussion: """
            It is on again after a restart of the gateway unless --keep is given, and after a reload of a file whose \
            entry for it in 'handlers' has changed.

            Example:
              castway handler disable media --keep
            """)

    @OptionGroup var handler: HandlerArgument

    @OptionGroup var keeping: KeepOption

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await OperationRequest(self.control).change(
            "handler.disable", ["name": .string(self.handler.name), "keep": .bool(self.keeping.keep)],
            asJSON: self.output.isJSON)
    }
}

/// `castway handler reset`
struct HandlerResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Has a handler of the running gateway do what the configuration says.",
        discussion: """
            Example:
              castway handler reset media
            """)

    @OptionGroup var handler: HandlerArgument

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await OperationRequest(self.control).change(
            "handler.reset", ["name": .string(self.handler.name)], asJSON: self.output.isJSON)
    }
}

extension OperationRequest {
    /// Switches a handler, and prints how it stands then.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    fileprivate func change(_ operation: OperationName, _ input: JSONObject, asJSON: Bool) async throws {
        let answer = try await self.call(operation, input)
        if asJSON { return StandardOutput.write(answer) }
        let handlers = answer.array("handlers")?.compactMap(\.objectValue) ?? []
        var lines = handlers.map { "\($0.string("name") ?? "") is \(HandlerTableText.state($0))" }
        lines += (answer.array("notes") ?? []).compactMap(\.stringValue)
        StandardOutput.write(lines: lines.map(\.printable))
    }
}
