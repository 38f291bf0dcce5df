import CastWire
import GatewayConfig
import GatewayOperations

/// `handlers.list`
struct ListHandlers: GatewayOperation {
    static let name: OperationName = "handlers.list"
    static let route = OperationRoute(.get, "/handlers")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Lists the handlers in the order in which they are asked"
    static let result = OperationResult(
        "The handlers",
        [
            .init(
                "handlers",
                .list(
                    .object([
                        .init("position", .integer, "Its place, from 1"),
                        .init("name", .text, "Its name"),
                        .init("enabled", .boolean, "Whether it is asked about messages"),
                        .init("switched", .boolean, "Whether a command says otherwise than the file"),
                        .optional("kept", .boolean, "What the next start does, when that is kept"),
                        .optional("devices", .list(.text), "The virtual devices that it is limited to"),
                        .init("claims", .list(.map(.anything)), "What it is asked about"),
                        .init("origin", .text, "Where the file lists it, `file:line:column`, or `default`"),
                        .optional("replaces", .list(.text), "The built-in handlers that it replaces"),
                    ])), "In their order")
        ])

    /// Knows the handlers.
    let feature: HandlerSwitchesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        ["handlers": .array(self.feature.handlerList.map { .object($0) })]
    }
}

/// `handler.enable`
struct EnableHandler: GatewayOperation {
    static let name: OperationName = "handler.enable"
    static let route = OperationRoute(.post, "/handlers/enable")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has a handler asked about messages"
    static let result = HandlerResult.switched
    static let problems = [HandlerInput.unknown, HandlerInput.notKept]

    /// Switches handlers.
    let feature: HandlerSwitchesFeature

    func perform(_ input: KeptHandlerInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await self.feature.change(.enable, input.name, isKept: input.isKept)
    }
}

/// `handler.disable`
struct DisableHandler: GatewayOperation {
    static let name: OperationName = "handler.disable"
    static let route = OperationRoute(.post, "/handlers/disable")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has a handler not asked about messages any more"
    static let details =
        "It neither changes nor answers nor refuses any then. What the `apps` of a virtual device forbid stays forbidden."
    static let result = HandlerResult.switched
    static let problems = [HandlerInput.unknown, HandlerInput.notKept]

    /// Switches handlers.
    let feature: HandlerSwitchesFeature

    func perform(_ input: KeptHandlerInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await self.feature.change(.disable, input.name, isKept: input.isKept)
    }
}

/// `handler.reset`
struct ResetHandler: GatewayOperation {
    static let name: OperationName = "handler.reset"
    static let route = OperationRoute(.post, "/handlers/reset")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has a handler do what the configuration says, and keeps nothing"
    static let result = HandlerResult.switched
    static let problems = [HandlerInput.unknown, HandlerInput.notKept]

    /// Switches handlers.
    let feature: HandlerSwitchesFeature

    func perform(_ input: HandlerInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await self.feature.change(.reset, input.name, isKept: false)
    }
}

/// Names a handler.
struct HandlerInput: OperationInput {
    var name = ""

    static let keys: [Key] = [
        .required(
            "name", \.name, .text(maximumBytes: 256),
            "The handler's name, the namespace of a channel, or the name of a plugin", example: "media")
    ]

    static let unknown = OperationProblemCase("unknown_handler", 404, "there is no handler of that name")
    static let notKept = OperationProblemCase("not_kept", 409, "the state cannot be written, so nothing has changed")

    init(blank: ConfigBlank) {}
}

/// Names a handler, and says for how long something holds.
struct KeptHandlerInput: OperationInput {
    var name = ""
    var isKept = false

    static let keys: [Key] = [
        .required(
            "name", \.name, .text(maximumBytes: 256),
            "The handler's name, the namespace of a channel, or the name of a plugin", example: "media"),
        Key("keep", \.isKept, .boolean, "Whether it holds after a restart of the gateway too"),
    ]

    init(blank: ConfigBlank) {}
}

/// What operations say of handlers that were switched.
private enum HandlerResult {
    static let switched = OperationResult(
        "How the handlers stand now",
        [
            .init(
                "handlers",
                .list(
                    .object([
                        .init("name", .text, "The handler"),
                        .init("switched", .boolean, "Whether a command says otherwise than the file"),
                        .optional("enabled", .boolean, "Whether it is asked; missing for one that is not there"),
                        .optional("kept", .boolean, "What the next start does, when that is kept"),
                    ])), "Those that the name stands for"),
            .init("notes", .list(.text), "What follows from it that an operator might not expect"),
        ])
}
