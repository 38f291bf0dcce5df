package import CastWire
package import GatewayConfig

/// `launch`: how apps on real devices are launched and joined.
package struct LaunchConfiguration: ConfigSettings {
    /// The key of `launch.credentials` that stands for every app without credentials of its own.
    private static let defaultKey = "default"

    /// Lets launches that do not say which kinds of app they take start the Android TV app.
    package var androidReceiverCompatible = false
    /// The language tag of launches that name none; nil leaves it out.
    package var language: String?
    /// Launches the app of a session of Castway's own anew when it runs already; otherwise it is joined.
    package var relaunchesIfRunning = false
    /// Castway's name for devices in its own sessions; nil leaves it out.
    package var senderName: String?
    /// The name of the gateway's software for apps in its own sessions.
    package var userAgent = "Castway"
    /// Further facts about it; nil for none.
    package var senderInfo: SenderInfoConfiguration?
    /// The credentials for apps that have none of their own.
    package var defaultCredentials: LaunchCredentials?
    package var appCredentials: [String: LaunchCredentials] = [:]

    /// `categories`: what holds for the devices of single categories in the place of what holds for all.
    package var categories: [CategoryLaunchConfiguration] = []

    /// `checks`: webhooks that say whether an app may be launched; of those that concern a launch the first decides.
    package var checks: [LaunchCheck] = []

    package static let keys: [Key] = [
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

    package init() {}

    /// The credentials to send with a launch of `app`: its own, or the default ones, or none.
    package func credentials(for app: String) -> LaunchCredentials? {
        self.appCredentials[app] ?? self.defaultCredentials
    }

    /// The `senderInfo` that apps receive; nil for none.
    package var introducedInfo: SenderInfo? { self.senderInfo?.info }

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
package struct LaunchCredentials: ConfigObject {
    /// The text that the app receives as `credentials`; an empty one is sent as it is.
    package var credentials: Secret
    /// The text that the app receives as `credentialsType`; nil leaves it out.
    package var type: String? = "web"
    /// Fills these into a LOAD without credentials as well.
    package var appliesToLoad = false
    /// The credentials for an Android TV app in a LOAD in their place, as `atvCredentials`.
    package var androidTVCredentials: Secret?
    /// Their `atvCredentialsType`.
    package var androidTVType: String?

    package static let keys: [Key] = [
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
    package init(credentials: Secret, _ change: (inout Self) -> Void = { _ in }) {
        self.credentials = credentials
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(credentials: Secret("")) }

    /// Adds a type of credentials that are not there.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.has("atv_credentials_type"), !section.has("atv_credentials") else { return }
        problems.add(
            .inconsistent,
            at: section.location("atv_credentials_type"),
            "'\(section.path("atv_credentials_type"))' needs 'atv_credentials' beside it"
        )
    }
}
