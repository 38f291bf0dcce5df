import CastWire
package import GatewayConfig
package import GatewayCore

/// `launch.checks[]`: a webhook that says whether an app may be launched, and as which kind.
package struct LaunchCheck: ConfigObject, Hashable {
    /// The name of a webhook of `bridges.webhooks`.
    package var webhook = ""
    /// The ids of the apps that it is asked about; empty for all.
    package var apps: [String] = []
    /// The names of the virtual devices, which may have wildcards; nil for all.
    package var devices: [Glob]?
    /// The time the answer may take; the sender's further messages wait meanwhile.
    package var deadline = Duration.seconds(5)
    /// The treatment of the launch when there is no answer, or one that makes no sense.
    package var onFailure = FailurePolicy.closed
    /// Sends the webhook the credentials that the sender gives to the app.
    package var tellsCredentials = false

    package static let keys: [Key] = [
        .required(
            "webhook", \.webhook, .text(maximumBytes: 64), "The name of one of `bridges.webhooks`", example: "doorman"),
        .selection(
            "apps", \.apps, .oneOrMore(of: .appID), "The apps that it is asked about; all without it",
            example: "[ABCD1234]"),
        .optional(
            "devices", \.devices, .oneOrMore(of: .glob(maximumBytes: 32)).notEmpty().namingGroups(.patterns),
            "The virtual devices and groups on which it is asked, by name; all without it", example: "[\"room-*\"]"),
        Key(
            "deadline", \.deadline, .duration(.milliseconds(10) ... .seconds(30)),
            "How long the answer may take; the sender's later messages wait meanwhile"),
        Key(
            "on_failure", \.onFailure, .word,
            "When there is no answer, or one that makes no sense: `closed` refuses the launch, `open` lets it go on"),
        Key(
            "credentials", \.tellsCredentials, .boolean,
            "Whether the webhook is told the credentials that the sender gives to the app; without it they are left out"
        ),
    ]

    package init(webhook: String, _ change: (inout Self) -> Void = { _ in }) {
        self.webhook = webhook
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(webhook: "") }

    /// Adds the webhooks and devices that are named and not there.
    /// - Parameters:
    ///   - launch: the checked section `launch`.
    ///   - webhooks: the names of all webhooks; nil when they are not known for sure.
    ///   - virtualDevices: the names of all virtual devices; nil when they are not known for sure.
    ///   - groups: the names of their groups, whose members stand in their place by now.
    package static func check(
        _ launch: ConfigSection, webhooks: [String]?, virtualDevices: [String]?, groups: [String],
        problems: inout ConfigProblems
    ) {
        for check in launch.sections("checks") {
            if let webhooks, check.isValid("webhook"), !webhooks.contains(check.string("webhook")) {
                problems.addUndefined(
                    check.string("webhook"), what: "webhook", at: check.location("webhook"), known: webhooks,
                    place: "bridges.webhooks")
            }
            let globs = check.value("devices").map { value in (value.list ?? [value]).filter(\.isValid) } ?? []
            for glob in globs {
                guard let name = glob.string, let virtualDevices, !virtualDevices.contains(where: Glob(name).matches)
                else { continue }
                problems.addUndefined(
                    name, what: "virtual device", at: glob.location, known: virtualDevices + groups,
                    place: "virtual_devices")
            }
        }
    }

    /// True if it is asked about a launch.
    func concerns(_ app: AppID, on device: String) -> Bool {
        (self.apps.isEmpty || self.apps.contains(app.rawValue))
            && (self.devices?.contains { $0.matches(device) } ?? true)
    }
}
