package import CastWire
import GatewayConfig
package import GatewayCore
package import GatewayOperations
import PluginKit

/// `handlers.list`
struct ListHandlers: GatewayOperation {
    static let name: OperationName = "handlers.list"
    static let route = OperationRoute(.get, "/handlers")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Lists the handlers in the order in which they are asked"
    static let result = HandlerListResult.result("The handlers")

    /// Knows the handlers.
    let feature: HandlerSwitchesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        HandlerListResult.json(self.feature.handlerList)
    }
}

/// `handler.enable`
struct EnableHandler: GatewayOperation {
    static let name: OperationName = "handler.enable"
    static let route = OperationRoute(.post, "/handlers/enable")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has a handler asked about messages"
    static let result = SwitchedHandlersResult.result("How the handlers stand now")
    static let problems = [HandlerInput.unknown, HandlerInput.notKept]

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
    static let result = SwitchedHandlersResult.result("How the handlers stand now")
    static let problems = [HandlerInput.unknown, HandlerInput.notKept]

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
    static let result = SwitchedHandlersResult.result("How the handlers stand now")
    static let problems = [HandlerInput.unknown, HandlerInput.notKept]

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

/// The handlers, in the order in which they are asked.
package struct HandlerListResult: ResultRecord {
    package typealias Source = [HandlerResult.Source]

    package let handlers = Field("handlers", listOf: HandlerResult.self, "In their order") { $0 }

    package static let layout = ResultLayout(HandlerListResult())
}

/// A handler.
package struct HandlerResult: ResultRecord {
    package typealias Source = (handler: HandlerSummary, kept: Bool?)

    package let position = Field("position", "Its place, from 1") { $0.handler.position }
    package let name = Field("name", "Its name") { $0.handler.name }
    package let isEnabled = Field("enabled", "Whether it is asked about messages") { $0.handler.isEnabled }
    package let isSwitched = Field("switched", "Whether a command says otherwise than the file") {
        $0.handler.isSwitched
    }
    package let kept = Field.optional("kept", "What the next start does, when that is kept") { $0.kept }
    package let devices = Field.optional("devices", "The virtual devices that it is limited to") {
        $0.handler.devices?.sorted()
    }
    package let claims = Field("claims", "What it is asked about") { $0.handler.claims.map { PluginClaim($0).json } }
    package let origin = Field("origin", "Where the file lists it, `file:line:column`, or `default`") {
        $0.handler.origin ?? "default"
    }
    package let replaces = Field.optional("replaces", "The built-in handlers that it replaces") { source in
        let replaced = Set(source.handler.claims.compactMap(\.replaces)).sorted()
        return replaced.isEmpty ? nil : replaced
    }

    package static let layout = ResultLayout(HandlerResult())
}

/// The handlers that a command was about.
package struct SwitchedHandlersResult: ResultRecord {
    package typealias Source = (outcomes: [HandlerSwitches.Outcome], notes: [String])

    package let handlers = Field("handlers", listOf: SwitchedHandlerResult.self, "Those that the name stands for") {
        $0.outcomes
    }
    package let notes = Field("notes", "What follows from it that an operator might not expect") { $0.notes }

    package static let layout = ResultLayout(SwitchedHandlersResult())
}

/// A handler that a command was about.
package struct SwitchedHandlerResult: ResultRecord {
    package typealias Source = HandlerSwitches.Outcome

    package let name = Field("name", "The handler") { $0.name }
    package let isSwitched = Field("switched", "Whether a command says otherwise than the file") { $0.isSwitched }
    package let isEnabled = Field.optional("enabled", "Whether it is asked; missing for one that is not there") {
        $0.isEnabled
    }
    package let kept = Field.optional("kept", "What the next start does, when that is kept") { $0.kept }

    package static let layout = ResultLayout(SwitchedHandlerResult())
}
