package import CastWire
import FeatureContract
import GatewayConfig
package import GatewayOperations
package import PluginHosting
import PluginKit

/// `plugins.list`
struct ListPlugins: GatewayOperation {
    static let name: OperationName = "plugins.list"
    static let route = OperationRoute(.get, "/plugins")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Lists the plugins, and how they are"
    static let result = PluginListResult.result("The plugins")

    let fleet: PluginFleet

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var plugins: [PluginStatus] = []
        for service in self.fleet.current { plugins.append(await service.status()) }
        return PluginListResult.json((plugins, caller))
    }
}

/// `plugin.get`
struct GetPlugin: GatewayOperation {
    static let name: OperationName = "plugin.get"
    static let route = OperationRoute(.get, "/plugins/{plugin}")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Shows all that is known of one plugin"
    static let result = PluginDetailsResult.result("The plugin")
    static let problems = [PluginInput.unknown]

    let fleet: PluginFleet
    /// The virtual devices whose router does not ask a plugin for a while.
    let openBreakers: @Sendable (_ plugin: String) async -> [String]

    func perform(_ input: PluginInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let service = try input.service(in: self.fleet)
        return PluginDetailsResult.json(
            .init(
                status: await service.status(),
                operations: service.instance.offeredOperations.compactMap { $0.declaration(of: input.plugin) },
                openBreakers: await self.openBreakers(input.plugin)))
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
    static let result = PluginResult.result("The plugin afterwards")
    static let problems = [PluginInput.unknown]

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
    static let result = PluginResult.result("The plugin afterwards")
    static let problems = [PluginInput.unknown]

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
    static let result = PluginResult.result("The plugin afterwards")
    static let problems = [PluginInput.unknown]

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
        return PluginResult.json(await service.status())
    }
}

/// The plugins of the gateway.
package struct PluginListResult: ResultRecord {
    package typealias Source = (plugins: [PluginStatus], caller: Caller)

    package let plugins = Field("plugins", listOf: PluginResult.self, "In the order of `plugins.instances`") {
        $0.plugins
    }
    package let unanswered = Embedded(Unanswered.self) { $0.caller }

    package static let layout = ResultLayout(PluginListResult())
}

/// A plugin in short.
package struct PluginResult: ResultRecord {
    package typealias Source = PluginStatus

    package let name = Field("name", "Its name in `plugins.instances`") { $0.instance.name }
    package let plugin = Field("plugin", "The id of the plugin that it is an instance of") { $0.instance.plugin }
    package let version = Field("version", "The version that runs, or that the manifest names") {
        $0.result?.pluginVersion ?? $0.instance.manifest.version
    }
    package let pluginKind = Field("kind", "How it runs") { $0.instance.kind }
    package let state = Field("state", "How it is") { $0.state }
    package let isRequired = Field("required", "Whether the gateway is not ready without it") {
        $0.instance.isRequired
    }
    package let restarts = Field("restarts", "How often it was started again") { $0.restartCount }
    package let reason = Field.optional("reason", "Why it is so") { $0.reason }
    package let processID = Field.optional("pid", "Its process") { $0.processID.map { Int($0) } }
    package let residentBytes = Field.optional("rss_bytes", "The memory of that process") { $0.residentBytes }
    package let readyFor = Field.optional("ready_ms", "For how long it has been ready, in milliseconds") {
        $0.readyFor.map { Int($0 / .milliseconds(1)) }
    }
    package let unenforced = Field("unenforced", "The limits that this machine cannot enforce") { $0.unenforced }

    package static let layout = ResultLayout(PluginResult())
}

/// A plugin with all that is known of it.
package struct PluginDetailsResult: ResultRecord {
    package struct Source {
        let status: PluginStatus
        let operations: [OperationDeclaration]
        let openBreakers: [String]
    }

    package let plugin = Embedded(PluginResult.self) { $0.status }
    package let protocolVersion = Field.optional("protocol", "The version of the plugin protocol") {
        $0.status.result?.version
    }
    package let features = Field.optional("features", "What of the protocol it uses") { $0.status.result?.features }
    package let grant = Field("grant", "What it is allowed") { $0.status.instance.grant.json }
    package let replaces = Field("replaces", "The built-in handlers that it replaces") {
        $0.status.instance.replaces.map(\.summary)
    }
    package let claims = Field("claims", "What it is asked about") { $0.status.claims.map(\.json) }
    package let sandbox = Field("sandbox", "How it is confined") { $0.status.instance.settings.sandbox }
    package let limits = Field("limits", "The bounds of what it may use", as: .map(.integer)) {
        $0.status.instance.settings.resources.json
    }
    package let inFlight = Field("in_flight", "The messages that wait for its answer") { $0.status.inFlight }
    package let counts = Field("counts", "What its wire has counted", as: .map(.integer)) { $0.status.counts.json }
    package let standardError = Field("stderr", "The last lines of its standard error") { $0.status.lines }
    package let operations = Field(
        "operations", listOf: PluginOperationResult.self, "The operations that callers can have it do"
    ) { $0.operations }
    package let openBreakers = Field(
        "open_breakers", "The virtual devices that do not ask it for a while, after failures"
    ) { $0.openBreakers }

    package static let layout = ResultLayout(PluginDetailsResult())
}

/// An operation of a plugin, for callers that know nothing of it.
package struct PluginOperationResult: ResultRecord {
    package typealias Source = OperationDeclaration

    package let name = Field("name", "Its name on every way in") { $0.name.rawValue }
    package let summary = Field("summary", "What it does") { $0.summary }
    package let scope = Field("scope", "What a caller has to be allowed") { $0.scope }
    package let isCommand = Field("command", "Whether its calls are requests") { $0.isCommand }
    package let method = Field("method", "The method of its route") { $0.route.method.rawValue }
    package let path = Field("path", "The path of its route") { OperationRoute.prefix + $0.route.path }
    package let input = Field("input", "What it takes, as a JSON Schema") { ConfigField.inputSchema($0.fields) }
    package let text = Field("text", "All that there is to say of it, in Markdown") {
        OperationReference.text($0, level: 1)
    }

    package static let layout = ResultLayout(PluginOperationResult())
}
