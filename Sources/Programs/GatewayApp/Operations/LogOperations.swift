import CastWire
import FeatureContract
import GatewayConfig
import GatewayLogging
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
    static let result = LogResult.result("The levels")

    /// Has the levels.
    let feature: LoggingFeature
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        LogResult.json((self.feature.levels, self.context))
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
    static let result = LogResult.result("The levels")

    /// Has the levels.
    let feature: LoggingFeature
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        self.feature.set(input.levels, for: .seconds(Int64(input.seconds)))
        return LogResult.json((self.feature.levels, self.context))
    }
}

/// The levels of the log, as operations answer with them.
struct LogResult: ResultRecord {
    typealias Source = (levels: LogLevelsStateMachine, context: GatewayContext)

    let level = Field("level", "`log.level`: that of components that nothing else names") { $0.levels.configured.level }
    let levels = Field("levels", listOf: LogRuleResult.self, "`log.levels`; the first that matches decides") {
        $0.levels.configured.levels
    }
    let override = Field.optional("set", LogOverrideResult.self, "What was set for a time") { source in
        source.levels.override.map { ($0, source.context) }
    }
    let functions = Field(
        "functions", listOf: LogFunctionResult.self, "`log.functions`; the first that matches decides"
    ) { $0.levels.configured.functions }
    let components = Field(
        "components", "The components that have logged so far, with their levels now", as: .map(.text)
    ) { _ in
        let components = LoggingSetup.components.sorted { $0.key < $1.key }
        return JSONObject(components.map { ($0.key, .string($0.value.rawValue)) })
    }
    let classNames = Field(
        "class_names", "Names of classes of the Cast SDKs that stand for components in `levels`, with those components",
        as: .map(.list(.text))
    ) { _ in JSONObject(SDKClassNames.table.map { ($0.name, .array($0.components.map { .string($0) })) }) }
    let files = Field("files", listOf: LogFileResult.self, "The files that lines are written to") { _ in
        LoggingSetup.files
    }

    static let layout = ResultLayout(LogResult())
}

/// The level of some components.
struct LogRuleResult: ResultRecord {
    typealias Source = LogLevelRule

    let components = Field("components", "Which components") { $0.components.pattern }
    let level = Field("level", "Their level") { $0.level }

    static let layout = ResultLayout(LogRuleResult())
}

/// Levels that were set for a time.
struct LogOverrideResult: ResultRecord {
    typealias Source = (override: LogLevelsStateMachine.Override, context: GatewayContext)

    let levels = Field("levels", listOf: LogRuleResult.self, "What stands before them") { $0.override.levels }
    let end = Field("until", "When it is over, in seconds since 1970", as: .integer) {
        $0.context.time(of: $0.override.until)
    }

    static let layout = ResultLayout(LogOverrideResult())
}

/// The level of some functions.
struct LogFunctionResult: ResultRecord {
    typealias Source = LogFunctionRule

    let functions = Field("functions", "Which functions") { $0.functions.pattern }
    let level = Field("level", "Their level") { $0.level }

    static let layout = ResultLayout(LogFunctionResult())
}

/// A file of the log.
struct LogFileResult: ResultRecord {
    typealias Source = LogFile

    let path = Field("path", "The file") { $0.path }
    let lostCount = Field(
        "lost", "How many lines could not be written to it since it is in the configuration"
    ) { $0.queue.lostCount }

    static let layout = ResultLayout(LogFileResult())
}
