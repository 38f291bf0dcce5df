import CastWire
import GatewayConfig
import GatewayOperations
import NamespaceHandlers

/// `launch.get`
struct GetLaunch: GatewayOperation {
    static let name: OperationName = "launch.get"
    static let route = OperationRoute(.get, "/launch")
    static let scope = OperationScope.read
    static let reach = OperationReach.gateway
    static let summary = "Says what launches follow when nothing else is said"
    static let result = LaunchResult.launch

    /// Has the choices.
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
    static let result = LaunchResult.launch
    static let problems = [LaunchResult.notKept, LaunchResult.unknownCategory]

    /// Has the choices.
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
    static let result = LaunchResult.launch
    static let problems = [LaunchResult.notKept, LaunchResult.unknownCategory]

    /// Has the choices.
    let feature: LaunchChoicesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let category = try self.feature.category(input.category)
        try await self.feature.reset(
            input.names.isEmpty ? LaunchChoices.Key.allCases : input.names, for: category)
        return self.feature.json
    }
}

/// What operations say of launches.
private enum LaunchResult {
    static let notKept = OperationProblemCase(
        "not_kept", 409, "the state cannot be written, so nothing has changed")

    static let unknownCategory = OperationProblemCase(
        "unknown_category", 404, "no devices have such a category")
    static let categoryMeaning =
        "Whose devices: `cast` for those that are heard or written down, `plugin:NAME` for those that a plugin names, `virtual` for virtual ones"

    /// What launches follow, of all devices or of those of a category.
    private static let followed: [OperationResult.Member] = [
        .optional("language", .text, "The language tag of launches that name none; missing when none is sent"),
        .init(
            "relaunch_if_running", .boolean,
            "Whether the gateway's own sessions launch an app anew that runs already"),
        .init(
            "android_receiver_compatible", .boolean,
            "Whether launches that do not say which kinds of app they take may start the Android TV app"),
        .init("sender_name", .text, "What devices may call the gateway"),
        .init("set", Self.names, "What was chosen in the place of the file"),
        .init("kept", Self.names, "What of that holds after a restart too"),
    ]

    private static let names = OperationResult.Kind.list(.word(LaunchChoices.Key.allCases.map(\.rawValue)))

    static let launch = OperationResult(
        "What launches follow",
        [
            .optional(
                "receiver_app", .text, "The app that sessions launch when none is named; missing when none is set")
        ] + Self.followed + [
            .init(
                "categories",
                .list(
                    .object(
                        [.init("category", .text, "Whose devices: `cast`, `virtual`, or `plugin:NAME`")] + Self.followed
                    )),
                "What the gateway's own sessions follow on the devices of those categories of which the file or an operation says something, by name"
            )
        ])
}
