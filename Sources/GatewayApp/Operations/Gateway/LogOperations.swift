import CastWire
import GatewayConfig
import GatewayOperations
import Logging
import NIOCore

/// `log.get`
struct GetLog: GatewayOperation {
    static let name: OperationName = "log.get"
    static let route = OperationRoute(.get, "/log")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Shows how much each component logs"
    static let result = LogResult.levels

    /// Has the levels.
    let feature: LoggingFeature
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        LogResult.json(self.feature.levels, in: self.context)
    }
}

/// `log.set`
struct SetLog: GatewayOperation {
    struct Input: OperationInput {
        var levels: [LogLevelRule] = []
        var seconds = 600

        static let keys: [Key] = [
            .required(
                "levels", \.levels, LogLevelRule.list,
                "Levels for components whose name matches; the first match decides, and the file where none does. A list of names has "
                    + "them at `debug`. `{}` is back to the file",
                example: "{\"DeviceSession*\": debug}"),
            Key("seconds", \.seconds, .integer(1...86_400), "For how long; then the levels of the file are back"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "log.set"
    static let route = OperationRoute(.put, "/log")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has components log more or less for a time"
    static let details =
        "It takes the place of what was set before, and outlives a reload: the new `log` of the file holds for the components that are not "
        + "meant, and for all when the time is over. A restart ends it. `*` means every component. Bodies of messages are logged only where "
        + "`log.payloads` says so."
    static let result = LogResult.levels

    /// Has the levels.
    let feature: LoggingFeature
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        self.feature.set(input.levels, for: .seconds(Int64(input.seconds)))
        return LogResult.json(self.feature.levels, in: self.context)
    }
}

/// What operations say of the log.
private enum LogResult {
    private static let level = OperationResult.Kind.word(LogConfiguration.Level.allCases.map(\.rawValue))
    private static let rules = OperationResult.Kind.list(
        .object([
            .init("components", .text, "Which components"), .init("level", Self.level, "Their level"),
        ]))

    static let levels = OperationResult(
        "The levels",
        [
            .init("level", Self.level, "`log.level`: that of components that nothing else names"),
            .init("levels", Self.rules, "`log.levels`; the first that matches decides"),
            .optional(
                "set",
                .object([
                    .init("levels", Self.rules, "What stands before them"),
                    .init("until", .integer, "When it is over, in seconds since 1970"),
                ]), "What was set for a time"),
            .init(
                "functions",
                .list(
                    .object([
                        .init("functions", .text, "Which functions"), .init("level", Self.level, "Their level"),
                    ])), "`log.functions`; the first that matches decides"),
            .init("components", .map(.text), "The components that have logged so far, with their levels now"),
            .init(
                "class_names", .map(.list(.text)),
                "Names of classes of the Cast SDKs that stand for components in `levels`, with those components"),
            .init(
                "files",
                .list(
                    .object([
                        .init("path", .text, "The file"),
                        .init(
                            "lost", .integer,
                            "How many lines could not be written to it since it is in the configuration"),
                    ])), "The files that lines are written to"),
        ])

    static func json(_ levels: LogLevelsStateMachine, in context: GatewayContext) -> JSONObject {
        var json: JSONObject = [
            "level": .string(levels.configured.level.rawValue), "levels": Self.json(levels.configured.levels),
        ]
        if let set = levels.override {
            json["set"] = ["levels": Self.json(set.levels), "until": context.time(of: set.until)]
        }
        let components = LoggingSetup.components.sorted { $0.key < $1.key }
        json["components"] = .object(JSONObject(components.map { ($0.key, .string($0.value.rawValue)) }))
        json["functions"] = .array(
            levels.configured.functions.map {
                ["functions": .string($0.functions.pattern), "level": .string($0.level.rawValue)]
            })
        json["class_names"] = .object(
            JSONObject(SDKClassNames.table.map { ($0.name, .array($0.components.map { .string($0) })) }))
        json["files"] = .array(
            LoggingSetup.files.map { ["path": .string($0.path), "lost": .number($0.queue.lostCount)] })
        return json
    }

    private static func json(_ rules: [LogLevelRule]) -> JSONValue {
        .array(
            rules.map { ["components": .string($0.components.pattern), "level": .string($0.level.rawValue)] })
    }
}
