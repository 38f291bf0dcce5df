import CastWire
import GatewayConfig
import GatewayOperations
import PluginHosting

/// `plugins.list`
struct ListPlugins: GatewayOperation {
    static let name: OperationName = "plugins.list"
    static let route = OperationRoute(.get, "/plugins")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Lists the plugins, and how they are"
    static let members: [OperationResult.Member] = [
        .init("plugins", .list(.object(PluginResult.summary)), "In the order of `plugins.instances`")
    ]
    static let result = OperationResult("The plugins", Self.members + [Unanswered.member])

    /// The plugins.
    let fleet: PluginFleet

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var plugins: [JSONValue] = []
        for service in self.fleet.current { plugins.append(.object(await service.status().summary)) }
        var json: JSONObject = ["plugins": .array(plugins)]
        Unanswered.add(to: &json, for: caller)
        return json
    }
}

/// `plugin.get`
struct GetPlugin: GatewayOperation {
    static let name: OperationName = "plugin.get"
    static let route = OperationRoute(.get, "/plugins/{plugin}")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Shows all that is known of one plugin"
    static let result = OperationResult("The plugin", PluginResult.summary + PluginResult.more)
    static let problems = [PluginInput.unknown]

    /// The plugins.
    let fleet: PluginFleet
    /// The virtual devices whose router does not ask a plugin for a while.
    let openBreakers: @Sendable (_ plugin: String) async -> [String]

    func perform(_ input: PluginInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let service = try input.service(in: self.fleet)
        var json = await service.status().json
        json["open_breakers"] = .array(await self.openBreakers(input.plugin).map { .string($0) })
        json["operations"] = .array(
            service.instance.offeredOperations.compactMap { $0.declaration(of: input.plugin) }.map {
                .object($0.summaryJSON)
            })
        return json
    }
}

/// `plugin.restart`
struct RestartPlugin: GatewayOperation {
    static let name: OperationName = "plugin.restart"
    static let route = OperationRoute(.post, "/plugins/{plugin}/restart")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Ends a plugin and starts it again"
    static let details =
        "Messages meanwhile follow the plugin's `on_failure`. It is answered when the restart has begun."
    static let result = OperationResult("The plugin afterwards", PluginResult.summary)
    static let problems = [PluginInput.unknown]

    /// The plugins.
    let fleet: PluginFleet

    func perform(_ input: PluginInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await input.change(in: self.fleet) { $0.restart() }
    }
}

/// `plugin.enable`
struct EnablePlugin: GatewayOperation {
    static let name: OperationName = "plugin.enable"
    static let route = OperationRoute(.post, "/plugins/{plugin}/enable")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Runs a plugin that was disabled"
    static let result = OperationResult("The plugin afterwards", PluginResult.summary)
    static let problems = [PluginInput.unknown]

    /// The plugins.
    let fleet: PluginFleet

    func perform(_ input: PluginInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await input.change(in: self.fleet) { $0.enable() }
    }
}

/// `plugin.disable`
struct DisablePlugin: GatewayOperation {
    static let name: OperationName = "plugin.disable"
    static let route = OperationRoute(.post, "/plugins/{plugin}/disable")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Ends a plugin until it is enabled, or the gateway starts again"
    static let result = OperationResult("The plugin afterwards", PluginResult.summary)
    static let problems = [PluginInput.unknown]

    /// The plugins.
    let fleet: PluginFleet

    func perform(_ input: PluginInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await input.change(in: self.fleet) { $0.disable() }
    }
}

/// Names a plugin.
struct PluginInput: OperationInput {
    var plugin = ""

    static let keys: [Key] = [
        .required(
            "plugin", \.plugin, .text(maximumBytes: 64), "The plugin's name in `plugins.instances`", example: "quiz")
    ]

    static let unknown = OperationProblemCase("unknown_plugin", 404, "`plugins.instances` lists no plugin of that name")

    init(blank: ConfigBlank) {}

    fileprivate func service(in fleet: PluginFleet) throws(OperationProblem) -> PluginService {
        guard let service = fleet[self.plugin] else {
            throw .missing("unknown_plugin", "no plugin named '\(self.plugin)' is listed in plugins.instances")
        }
        return service
    }

    fileprivate func change(
        in fleet: PluginFleet, _ change: (PluginService) -> Void
    ) async throws(OperationProblem) -> JSONObject {
        let service = try self.service(in: fleet)
        change(service)
        await service.untilSettled()
        return await service.status().summary
    }
}

/// What operations say of a plugin.
private enum PluginResult {
    typealias Member = OperationResult.Member

    static let summary: [Member] = [
        Member("name", .text, "Its name in `plugins.instances`"),
        Member("plugin", .text, "The id of the plugin that it is an instance of"),
        Member("version", .text, "The version that runs, or that the manifest names"),
        Member("kind", .word(PluginKind.allCases.map(\.rawValue)), "How it runs"),
        Member("state", .word(PluginState.allCases.map(\.rawValue)), "How it is"),
        Member("required", .boolean, "Whether the gateway is not ready without it"),
        Member("restarts", .integer, "How often it was started again"),
        .optional("reason", .text, "Why it is so"),
        .optional("pid", .integer, "Its process"),
        .optional("rss_bytes", .integer, "The memory of that process"),
        .optional("ready_ms", .integer, "For how long it has been ready, in milliseconds"),
        Member("unenforced", .list(.text), "The limits that this machine cannot enforce"),
    ]

    static let more: [Member] = [
        .optional("protocol", .integer, "The version of the plugin protocol"),
        .optional("features", .list(.text), "What of the protocol it uses"),
        Member("grant", .map(.anything), "What it is allowed"),
        Member("replaces", .list(.text), "The built-in handlers that it replaces"),
        Member("claims", .list(.map(.anything)), "What it is asked about"),
        Member("sandbox", .word(PluginSandbox.allCases.map(\.rawValue)), "How it is confined"),
        Member("limits", .map(.integer), "The bounds of what it may use"),
        Member("in_flight", .integer, "The messages that wait for its answer"),
        Member("counts", .map(.integer), "What its wire has counted"),
        Member("stderr", .list(.text), "The last lines of its standard error"),
        Member(
            "operations",
            .list(
                .object([
                    Member("name", .text, "Its name on every way in"),
                    Member("summary", .text, "What it does"),
                    Member("scope", .word(OperationScope.allCases.map(\.rawValue)), "What a caller has to be allowed"),
                    Member("command", .boolean, "Whether its calls are requests"),
                    Member("method", .text, "The method of its route"),
                    Member("path", .text, "The path of its route"),
                    Member("input", .map(.anything), "What it takes, as a JSON Schema"),
                    Member("text", .text, "All that there is to say of it, in Markdown"),
                ])), "The operations that callers can have it do"),
        Member("open_breakers", .list(.text), "The virtual devices that do not ask it for a while, after failures"),
    ]
}
