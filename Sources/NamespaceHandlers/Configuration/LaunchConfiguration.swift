public import CastWire
public import GatewayConfig

/// `launch`: how apps on real devices are launched and joined.
public struct LaunchConfiguration: ConfigSettings {
    /// The key of `launch.credentials` that stands for every app without credentials of its own.
    private static let defaultKey = "default"

    /// Whether launches that do not say which kinds of app they take may start the Android TV app.
    public var androidReceiverCompatible = false
    /// The language tag of launches that name none; nil leaves it out.
    public var language: String?
    /// Whether a session of Castway's own launches its app anew when it runs already; otherwise it is joined.
    public var relaunchesIfRunning = false
    /// What devices may call Castway in its own sessions; nil leaves it out.
    public var senderName: String?
    /// What the gateway's software calls itself to apps in its own sessions.
    public var userAgent = "Castway"
    /// What it says of itself beside that; nil for nothing.
    public var senderInfo: SenderInfoConfiguration?
    /// The credentials for apps that have none of their own.
    public var defaultCredentials: LaunchCredentials?
    /// The credentials by app id.
    public var appCredentials: [String: LaunchCredentials] = [:]

    /// `categories`: what holds for the devices of single categories in the place of what holds for all.
    public var categories: [CategoryLaunchConfiguration] = []

    /// `checks`: webhooks that say whether an app may be launched; of those that concern a launch the first decides.
    public var checks: [LaunchCheck] = []

    /// The keys of `launch`.
    public static let keys: [Key] = [
        Key(
            "android_receiver_compatible", \.androidReceiverCompatible, .boolean,
            "Whether launches that do not say which kinds of app they take may start the Android TV app of an app that has one"
        ),
        .optional(
            "language", \.language, .text(allowed: "A-Za-z0-9-", length: 1...35),
            "The language tag of launches that name none (RFC 5646)", example: "de-DE"),
        Key(
            "relaunch_if_running", \.relaunchesIfRunning, .boolean,
            "Whether the gateway's own sessions launch an app anew that runs already, rather than join it"),
        .optional(
            "sender_name", \.senderName, .text(maximumBytes: 128),
            "What devices may call the gateway in its own sessions", example: "Lobby"),
        Key(
            "user_agent", \.userAgent, .text(maximumBytes: 256),
            "What the gateway's software calls itself when one of its own sessions connects to an app"),
        .optional(
            "sender_info", \.senderInfo, .object,
            "What one of its own sessions says of the gateway besides when it connects to an app; without it nothing",
            example: "{platform: linux, model: Castway}"),
        Key(
            "credentials", \.credentials, .map(key: .appID, value: .object),
            "The credentials sent at launch and join, by app id; `default` stands for every other app",
            example: "{default: {credentials_file: \"${CREDENTIALS_DIRECTORY}/castway_launch\"}}"),
        Key(
            "categories", \.categories, .list(of: .object, namedBy: "category", \.category),
            "What the gateway's own sessions launch with on the devices of one category, where that is not as for all others",
            example: "[{category: virtual, language: de-DE}]"),
        Key(
            "checks", \.checks, .list(of: .object),
            "Webhooks that are asked whether an app may be launched on a virtual device; the first that concerns a launch decides"
        ),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}

    /// The credentials to send with a launch of `app`: its own, or the default ones, or none.
    public func credentials(for app: String) -> LaunchCredentials? {
        self.appCredentials[app] ?? self.defaultCredentials
    }

    /// What apps receive as `senderInfo`; nil for nothing.
    public var introducedInfo: SenderInfo? { self.senderInfo?.info }

    /// All credentials as the file has them.
    private var credentials: [String: LaunchCredentials] {
        get {
            var all = self.appCredentials
            all[Self.defaultKey] = self.defaultCredentials
            return all
        }
        set {
            self.appCredentials = newValue
            self.defaultCredentials = self.appCredentials.removeValue(forKey: Self.defaultKey)
        }
    }
}

/// `launch.credentials.ID`: who the user is, for the app; sent at launch and join, and with a LOAD where that is wanted.
///
/// An opaque text: never looked into, never logged.
public struct LaunchCredentials: ConfigObject {
    /// The text that the app receives as `credentials`; an empty one is sent as it is.
    public var credentials: Secret
    /// The text that the app receives as `credentialsType`; nil leaves it out.
    public var type: String? = "web"
    /// Whether a LOAD without credentials gets these as well.
    public var appliesToLoad = false
    /// What an Android TV app receives in a LOAD in their place, as `atvCredentials`.
    public var androidTVCredentials: Secret?
    /// What it receives as `atvCredentialsType`.
    public var androidTVType: String?

    /// The keys of `launch.credentials.ID`.
    public static let keys: [Key] = [
        .required(
            "credentials", \.credentials, .secret, "What the app receives as credentials",
            example: "${CREDENTIALS_DIRECTORY}/castway_launch"),
        Key(
            "credentials_type", \.type, ConfigType<String>.text(maximumBytes: 64).converted({ $0 }, { $0 ?? "" }),
            "What the app receives as the type of the credentials"),
        Key(
            "apply_to_load", \.appliesToLoad, .boolean,
            "Whether a LOAD without credentials gets them too; otherwise they are sent at launch and join only"),
        .optional(
            "atv_credentials", \.androidTVCredentials, .secret,
            "What an Android TV app receives in a LOAD instead, with `apply_to_load`",
            example: "${CREDENTIALS_DIRECTORY}/castway_tv"),
        .optional(
            "atv_credentials_type", \.androidTVType, .text(maximumBytes: 64), "The type of `atv_credentials`",
            example: "android"),
    ]

    /// Makes credentials; what is not changed has the default of `gateway.yaml`.
    public init(credentials: Secret, _ change: (inout Self) -> Void = { _ in }) {
        self.credentials = credentials
        change(&self)
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init(credentials: Secret("")) }

    /// Adds a type of credentials that are not there.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.has("atv_credentials_type"), !section.has("atv_credentials") else { return }
        problems.add(
            .inconsistent,
            at: section.location("atv_credentials_type"),
            "'\(section.path("atv_credentials_type"))' needs 'atv_credentials' beside it"
        )
    }
}
