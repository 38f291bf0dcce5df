import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations
import NIOCore
import NamespaceHandlers

/// `credentials.list`
struct ListCredentials: GatewayOperation {
    static let name: OperationName = "credentials.list"
    static let route = OperationRoute(.get, "/credentials")
    static let scope = OperationScope.credentials
    static let reach = OperationReach.gateway
    static let summary = "Says for which apps launches carry credentials; never which"
    static let result = CredentialsResult.result("For which apps there are credentials")

    let launch: LaunchSettings
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        CredentialsResult.json((self.launch, self.context))
    }
}

/// `credentials.set`
struct SetCredentials: GatewayOperation {
    struct Input: RuledInput {
        var app: String?
        var credentials = Secret("")
        var type = "web"
        var appliesToLoad = false
        var androidTVCredentials: Secret?
        var androidTVType: String?

        static let keys: [Key] = [
            .optional(
                "app", \.app, .appID, "The app; without it every app that has none of its own", example: "CC1AD845"),
            .required(
                "credentials", \.credentials, .hiddenText(maximumBytes: 16_384), "What the app receives as credentials"),
            Key(
                "credentials_type", \.type, .text(maximumBytes: 64),
                "What the app receives as the type of the credentials"),
            Key(
                "apply_to_load", \.appliesToLoad, .boolean,
                "Whether a LOAD without credentials gets them too; otherwise they are sent at launch and join only"),
            .optional(
                "atv_credentials", \.androidTVCredentials, .hiddenText(maximumBytes: 16_384),
                "What an Android TV app receives in a LOAD instead, with `apply_to_load`"),
            .optional(
                "atv_credentials_type", \.androidTVType, .text(maximumBytes: 64), "The type of `atv_credentials`",
                example: "android"),
        ]

        static let rules: [InputRule] = [.launchableApp, .needs("atv_credentials_type", "atv_credentials")]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "credentials.set"
    static let route = OperationRoute(.put, "/credentials")
    static let scope = OperationScope.credentials
    static let reach = OperationReach.gateway
    static let summary = "Sets the credentials of the next launches and joins"
    static let details =
        "They stand before those of the file until they are cleared, or the gateway ends; a reload keeps them. An app that runs does not "
        + "learn of them. No operation shows them, and no log has them."
    static let result = CredentialsResult.result("For which apps there are credentials")
    static let problems = [CredentialsResult.full]

    let launch: LaunchSettings
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let credentials = LaunchCredentials(credentials: input.credentials) {
            $0.type = input.type
            $0.appliesToLoad = input.appliesToLoad
            $0.androidTVCredentials = input.androidTVCredentials
            $0.androidTVType = input.androidTVType
        }
        guard self.launch.setCredentials(credentials, for: input.app.map { AppID(rawValue: $0) }, at: .now()) else {
            throw CredentialsResult.tooMany
        }
        return CredentialsResult.json((self.launch, self.context))
    }
}

/// `credentials.clear`
struct ClearCredentials: GatewayOperation {
    struct Input: RuledInput {
        var app: String?
        var isReset = false

        static let keys: [Key] = [
            .optional(
                "app", \.app, .appID, "The app; without it every app that has none of its own", example: "CC1AD845"),
            Key(
                "reset", \.isReset, .boolean,
                "Whether what the file says holds again; otherwise nothing is sent, whatever the file says"),
        ]

        static let rules: [InputRule] = [.launchableApp]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "credentials.clear"
    static let route = OperationRoute(.post, "/credentials/clear")
    static let scope = OperationScope.credentials
    static let reach = OperationReach.gateway
    static let summary = "Launches without credentials from now on, or with those of the file again"
    static let result = CredentialsResult.result("For which apps there are credentials")
    static let problems = [CredentialsResult.full]

    let launch: LaunchSettings
    /// Tells the time.
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let app = input.app.map { AppID(rawValue: $0) }
        if input.isReset {
            self.launch.resetCredentials(for: app)
        } else if !self.launch.clearCredentials(for: app, at: .now()) {
            throw CredentialsResult.tooMany
        }
        return CredentialsResult.json((self.launch, self.context))
    }
}

/// The apps for which there are credentials; never the credentials.
struct CredentialsResult: ResultRecord {
    typealias Source = (launch: LaunchSettings, context: GatewayContext)

    let credentials = Field("credentials", listOf: AppCredentialsResult.self, "By app") { source in
        source.launch.credentialsNotes.map { ($0, source.context) }
    }

    static let layout = ResultLayout(CredentialsResult())

    static let full = OperationProblemCase(
        "too_many_credentials", 409, "\(LaunchSettings.maximumOverrides) apps have credentials that were set or cleared"
    )
    static let tooMany = OperationProblem(
        Self.full.code, status: Self.full.status,
        "\(LaunchSettings.maximumOverrides) apps have credentials that were set or cleared: reset those of others first"
    )
}

/// The source of an app's credentials.
struct AppCredentialsResult: ResultRecord {
    typealias Source = (note: LaunchSettings.CredentialsNote, context: GatewayContext)

    let app = Field.optional("app", "The app; missing for every app that has none of its own") {
        $0.note.app?.rawValue
    }
    let source = Field(
        "source", "Whether the file has them, they were set since, or none are sent since they were cleared"
    ) { $0.note.source }
    let since = Field.optional("since", "When they were set or cleared, in seconds since 1970", as: .integer) {
        source in source.note.since.map(source.context.time)
    }
    let isPending = Field("pending", "Whether no launch has carried yet what was set") { $0.note.isPending }

    static let layout = ResultLayout(AppCredentialsResult())
}
