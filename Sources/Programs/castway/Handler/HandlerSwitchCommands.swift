import ArgumentParser
import CastWire
import GatewayOperations
import HandlerControl

struct HandlerArgument: ParsableArguments {
    @Argument(help: "The handler's name as 'castway handler list' shows it; for a channel its namespace will do.")
    var name: String
}

struct KeepOption: ParsableArguments {
    @Flag(help: "Holds after a restart of the gateway too.") var keep = false
}

struct HandlerEnable: HandlerSwitch {
    static let configuration = CommandConfiguration(
        "enable", "Has a handler of the running gateway asked about messages.",
        examples: ["castway handler enable media"])
    static let operation: OperationName = "handler.enable"

    @OptionGroup var handler: HandlerArgument
    @OptionGroup var keeping: KeepOption

    var input: CallInput { ["name": self.handler.name, "keep": self.keeping.keep] }
}

struct HandlerDisable: HandlerSwitch {
    static let configuration = CommandConfiguration(
        "disable", "Has a handler of the running gateway not asked about messages.",
        """
        It is on again after a restart of the gateway unless --keep is given, and after a reload of a file whose \
        entry for it in 'handlers' has changed.
        """,
        examples: ["castway handler disable media --keep"])
    static let operation: OperationName = "handler.disable"

    @OptionGroup var handler: HandlerArgument
    @OptionGroup var keeping: KeepOption

    var input: CallInput { ["name": self.handler.name, "keep": self.keeping.keep] }
}

struct HandlerReset: HandlerSwitch {
    static let configuration = CommandConfiguration(
        "reset", "Has a handler of the running gateway do what the configuration says.",
        examples: ["castway handler reset media"])
    static let operation: OperationName = "handler.reset"

    @OptionGroup var handler: HandlerArgument

    var input: CallInput { ["name": self.handler.name] }
}

/// A command that switches a handler, and prints how it stands then.
protocol HandlerSwitch: OperationCall {}

extension HandlerSwitch {
    func lines(_ answer: JSONObject) -> [String] {
        let handlers = answer[at: SwitchedHandlersResult.fields.handlers] ?? []
        let states = handlers.map { "\($0.text(SwitchedHandlerResult.fields.name)) is \(HandlerList.state($0))" }
        return (states + (answer[at: SwitchedHandlersResult.fields.notes] ?? [])).map(\.printable)
    }
}
