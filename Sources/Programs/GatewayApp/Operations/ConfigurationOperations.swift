package import CastWire
import FeatureContract
package import GatewayConfig
package import GatewayOperations

/// `config.reload`
struct ReloadConfiguration: GatewayOperation {
    struct Input: OperationInput, ConfigSettings {
        var isDryRun = false

        static let keys: [Key] = [
            Key("dry_run", \.isDryRun, .boolean, "Says what would change, and changes nothing")
        ]

        init() {}
    }

    static let name: OperationName = "config.reload"
    static let route = OperationRoute(.post, "/config/reload")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Reads the configuration anew and puts it in force"
    static let details =
        "Every connection and session stays. When anything is wrong, the old configuration stays as a whole, and nothing is changed."
    static let result = ReloadResult.result("What has changed, or would change")
    static let problems = [
        OperationProblemCase(
            "configuration_invalid", 422,
            "the file has errors, which `problems` and `report` name, or a plugin refuses its part of it"),
        OperationProblemCase("restart_required", 409, "a key has changed that takes a restart; `keys` names them"),
        OperationProblemCase(
            "reload_failed", 409, "something new could not be started, such as a listener or a plugin"),
    ]

    /// Does one reload at a time.
    let reloads: ReloadFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        switch await self.reloads.reload(nil, isDryRun: input.isDryRun) {
        case .success(let plan): return ReloadResult.json((input.isDryRun, plan.changes))
        case .failure(let failure): throw Self.problem(failure)
        }
    }

    private static func problem(_ failure: ReloadFailure) -> OperationProblem {
        var members: JSONObject = [:]
        switch failure {
        case .invalid(let report):
            members["problems"] = (try? JSONReader.read(report.json())) ?? .array([])
            members["report"] = .string(report.text())
        case .takesRestart(let keys): members["keys"] = .array(keys.map { .string($0) })
        case .pluginRefused, .notPrepared, .pluginNotReady, .unavailable: break
        }
        return OperationProblem(failure.error, members: members)
    }
}

/// `config.get`
struct GetConfiguration: GatewayOperation {
    static let name: OperationName = "config.get"
    static let route = OperationRoute(.get, "/config")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Shows the configuration in force, defaults filled in, secrets redacted"
    static let result = ConfigurationResult.result("The configuration")
    static let problems = [OperationProblemCase("no_file", 404, "the gateway was started without a file")]

    /// Has the configuration in force.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard let document = self.context.configuration.document else {
            throw .missing("no_file", "the gateway was started without a file")
        }
        return ConfigurationResult.json(document)
    }
}

/// The changes of a reload.
package struct ReloadResult: ResultRecord {
    package typealias Source = (isDryRun: Bool, changes: [ReloadChange])

    package let isDryRun = Field("dry_run", "Whether nothing was changed") { $0.isDryRun }
    package let changes = Field("changes", listOf: ReloadChangeResult.self, "What differs, key by key") { $0.changes }

    package static let layout = ResultLayout(ReloadResult())
}

/// The change of a key.
package struct ReloadChangeResult: ResultRecord {
    package typealias Source = ReloadChange

    package let key = Field("key", "The key, with the name of what it is of: `virtual_devices.hall.listen`") { $0.path }
    package let reload = Field("reload", "What the change does to the running gateway") { $0.reload }
    package let note = Field.optional("note", "More about the change") { $0.note }

    package static let layout = ResultLayout(ReloadChangeResult())
}

/// The configuration in force.
struct ConfigurationResult: ResultRecord {
    typealias Source = ConfigDocument

    let configuration = Field(
        "configuration", "What `castway config print --format json` shows of the file in force", as: .map(.anything)
    ) { $0.effectiveJSON }

    static let layout = ResultLayout(ConfigurationResult())
}
