import CastWire
import GatewayConfig
import GatewayOperations

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
    static let result = OperationResult(
        "What has changed, or would change",
        [
            .init("dry_run", .boolean, "Whether nothing was changed"),
            .init(
                "changes",
                .list(
                    .object([
                        .init("key", .text, "The key, with the name of what it is of: `virtual_devices.hall.listen`"),
                        .init(
                            "reload", .word(ReloadClass.allCases.map(\.rawValue)),
                            "What the change does to the running gateway"),
                        .optional("note", .text, "More about the change"),
                    ])), "What differs, key by key"),
        ])
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
        case .success(let plan):
            let changes = plan.changes.map { change in
                var object: JSONObject = ["key": .string(change.path), "reload": .string(change.reload.rawValue)]
                if let note = change.note { object["note"] = .string(note) }
                return JSONValue.object(object)
            }
            return ["dry_run": .bool(input.isDryRun), "changes": .array(changes)]
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
    static let result = OperationResult(
        "The configuration",
        [
            .init(
                "configuration", .map(.anything), "What `castway config print --format json` shows of the file in force"
            )
        ])
    static let problems = [OperationProblemCase("no_file", 404, "the gateway was started without a file")]

    /// Has the configuration in force.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard let document = self.context.configuration.document else {
            throw .missing("no_file", "the gateway was started without a file")
        }
        return ["configuration": document.effectiveJSON]
    }
}
