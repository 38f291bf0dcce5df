import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import NamespaceHandlers

/// `launch.get`
struct GetLaunch: GatewayOperation {
    static let name: OperationName = "launch.get"
    static let route = OperationRoute(.get, "/launch")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Says what launches follow when nothing else is said"
    static let result = LaunchResult.result("What launches follow")

    let feature: LaunchChoicesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        self.feature.json
    }
}

/// `launch.set`
struct SetLaunch: GatewayOperation {
    struct Input: RuledInput {
        var receiverApp: String?
        var language: String?
        var relaunches: Bool?
        var isAndroidReceiverCompatible: Bool?
        var senderName: String?
        var category: String?
        var isKept = false

        static let keys: [Key] = [
            .optional(
                "receiver_app", \.receiverApp, .appID,
                "The app that sessions launch when none is named, and that listed devices have to have; in the place of "
                    + "`discovery.receiver_app` and `discovery.receiver_apps`", example: "CC1AD845"),
            .optional(
                "language", \.language, .text(allowed: "A-Za-z0-9-", length: 1...35),
                "The language tag of launches that name none (RFC 5646)", example: "de-DE"),
            .optional(
                "relaunch_if_running", \.relaunches, .boolean,
                "Whether the gateway's own sessions launch an app anew that runs already"),
            .optional(
                "android_receiver_compatible", \.isAndroidReceiverCompatible, .boolean,
                "Whether launches that do not say which kinds of app they take may start the Android TV app"),
            .optional(
                "sender_name", \.senderName, .text(maximumBytes: 128), "What devices may call the gateway",
                example: "Lobby"),
            .optional(
                "category", \.category, .text(maximumBytes: 80), LaunchResult.categoryMeaning,
                example: "virtual"
            ),
            Key("keep", \.isKept, .boolean, "Whether it holds after a restart of the gateway too"),
        ]

        static let rules: [InputRule] = [
            .any(of: LaunchChoices.Key.allCases.map(\.rawValue)),
            // The device list follows the app, so it is one for all.
            .notBoth("receiver_app", "category"),
        ]

        init(blank: ConfigBlank) {}

        var choices: LaunchChoices {
            var choices = LaunchChoices()
            choices[.receiverApp] = self.receiverApp.map { .string($0) }
            choices[.language] = self.language.map { .string($0) }
            choices[.relaunchIfRunning] = self.relaunches.map { .bool($0) }
            choices[.androidReceiverCompatible] = self.isAndroidReceiverCompatible.map { .bool($0) }
            choices[.senderName] = self.senderName.map { .string($0) }
            return choices
        }
    }

    static let name: OperationName = "launch.set"
    static let route = OperationRoute(.put, "/launch")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Chooses what launches follow, in the place of what the file says"
    static let details =
        "It holds for the next launches, of senders too where they say nothing, until `launch.reset` or a restart, and with `keep` beyond that. A reload "
        + "keeps it. What is not named stays as it was. With `category` it holds for the gateway's own sessions with those devices alone, and goes before what "
        + "holds for all."
    static let result = LaunchResult.result("What launches follow")
    static let problems = [LaunchResult.notKept, LaunchResult.unknownCategory]

    let feature: LaunchChoicesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let category = try self.feature.category(input.category)
        if input.isKept { try self.feature.requireKeeping() }
        try await self.feature.choose(input.choices, for: category, isKept: input.isKept)
        return self.feature.json
    }
}

/// `launch.reset`
struct ResetLaunch: GatewayOperation {
    struct Input: OperationInput {
        var names: [LaunchChoices.Key] = []
        var category: String?

        static let keys: [Key] = [
            Key("keys", \.names, .list(of: .word), "What is as the file says again; an empty list means everything"),
            .optional(
                "category", \.category, .text(maximumBytes: 80),
                LaunchResult.categoryMeaning
                    + "; without it and without `keys` every category is as the file says again too",
                example: "virtual"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "launch.reset"
    static let route = OperationRoute(.post, "/launch/reset")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has launches follow the file again, and keeps nothing"
    static let result = LaunchResult.result("What launches follow")
    static let problems = [LaunchResult.notKept, LaunchResult.unknownCategory]

    let feature: LaunchChoicesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let category = try self.feature.category(input.category)
        try await self.feature.reset(
            input.names.isEmpty ? LaunchChoices.Key.allCases : input.names, for: category)
        return self.feature.json
    }
}

/// The choices that launches follow, as operations answer with them.
struct LaunchResult: ResultRecord {
    typealias Source = (
        receiverApp: AppID?, followed: FollowedLaunchResult.Source, categories: [CategoryLaunchResult.Source]
    )

    let receiverApp = Field.optional(
        "receiver_app", "The app that sessions launch when none is named; missing when none is set"
    ) { $0.receiverApp?.rawValue }
    let followed = Embedded(FollowedLaunchResult.self) { $0.followed }
    let categories = Field(
        "categories", listOf: CategoryLaunchResult.self,
        "What the gateway's own sessions follow on the devices of those categories of which the file or an operation says something, by name"
    ) { $0.categories }

    static let layout = ResultLayout(LaunchResult())

    static let notKept = OperationProblemCase(
        "not_kept", 409, "the state cannot be written, so nothing has changed")

    static let unknownCategory = OperationProblemCase(
        "unknown_category", 404, "no devices have such a category")
    static let categoryMeaning =
        "Whose devices: `cast` for those that are heard or written down, `plugin:NAME` for those that a plugin names, `virtual` for virtual ones"
}

/// The choices that launches follow on all devices, or on those of a category.
struct FollowedLaunchResult: ResultRecord {
    typealias Source = (launch: LaunchConfiguration, senderName: String, chosen: LaunchChoices, kept: LaunchChoices)

    private static let names = OperationResult.Kind.list(.word(LaunchChoices.Key.allCases.map(\.rawValue)))

    let language = Field.optional(
        "language", "The language tag of launches that name none; missing when none is sent"
    ) { $0.launch.language }
    let relaunches = Field(
        "relaunch_if_running", "Whether the gateway's own sessions launch an app anew that runs already"
    ) { $0.launch.relaunchesIfRunning }
    let isAndroidReceiverCompatible = Field(
        "android_receiver_compatible",
        "Whether launches that do not say which kinds of app they take may start the Android TV app"
    ) { $0.launch.androidReceiverCompatible }
    let senderName = Field("sender_name", "What devices may call the gateway") { $0.senderName }
    let chosen = Field("set", "What was chosen in the place of the file", as: Self.names) {
        $0.chosen.keys.map(\.rawValue)
    }
    let kept = Field("kept", "What of that holds after a restart too", as: Self.names) { $0.kept.keys.map(\.rawValue) }

    static let layout = ResultLayout(FollowedLaunchResult())
}

/// The choices that launches follow on the devices of a category.
struct CategoryLaunchResult: ResultRecord {
    typealias Source = (category: DeviceCategory, followed: FollowedLaunchResult.Source)

    let category = Field("category", "Whose devices: `cast`, `virtual`, or `plugin:NAME`") { $0.category.rawValue }
    let followed = Embedded(FollowedLaunchResult.self) { $0.followed }

    static let layout = ResultLayout(CategoryLaunchResult())
}
