package import GatewayConfig
package import GatewayCore

/// `launch.categories[]`: what the gateway's own sessions with the devices of one category launch with, where that is not as for all
/// others (`GCKSessionOptions` by device category).
package struct CategoryLaunchConfiguration: ConfigObject, Hashable {
    /// The devices' category: `cast`, `virtual`, or `plugin:NAME`.
    package var category = ""
    /// Lets a launch start the Android TV app; nil for what holds for all.
    package var androidReceiverCompatible: Bool?
    /// The language tag; nil for what holds for all.
    package var language: String?
    /// Launches an app anew that runs already; nil for what holds for all.
    package var relaunchesIfRunning: Bool?
    /// The gateway's name for the devices; nil for what holds for all.
    package var senderName: String?

    package static let keys: [Key] = [
        .required(
            "category", \.category, .text(maximumBytes: 80),
            "Whose devices: `cast` for those that are heard or written down, `plugin:NAME` for those that a plugin names, `virtual` for virtual devices",
            example: "virtual"),
        .optional(
            "android_receiver_compatible", \.androidReceiverCompatible, .boolean,
            "In the place of `launch.android_receiver_compatible`", example: "true"),
        .optional(
            "language", \.language, .text(allowed: "A-Za-z0-9-", length: 1...35), "In the place of `launch.language`",
            example: "de-DE"),
        .optional(
            "relaunch_if_running", \.relaunchesIfRunning, .boolean, "In the place of `launch.relaunch_if_running`",
            example: "true"),
        .optional(
            "sender_name", \.senderName, .text(maximumBytes: 128), "In the place of `launch.sender_name`",
            example: "Lobby"),
    ]

    package init(_ category: DeviceCategory, _ change: (inout Self) -> Void = { _ in }) {
        self.category = category.rawValue
        change(&self)
    }

    package init(blank: ConfigBlank) { self.init(DeviceCategory(rawValue: "")) }

    /// Adds the categories that cannot be, and those of plugins that are not there.
    /// - Parameters:
    ///   - launch: the checked section `launch`.
    ///   - plugins: the names of all plugins; nil when they are not known for sure.
    package static func check(_ launch: ConfigSection, plugins: [String]?, problems: inout ConfigProblems) {
        for section in launch.sections("categories") where section.isValid("category") {
            let category = DeviceCategory(rawValue: section.string("category"))
            if !category.isValid {
                problems.add(
                    .undefinedReference, at: section.location("category"),
                    "'\(category)' is no category of devices", hint: "cast, virtual, or plugin:NAME")
            } else if let plugin = category.plugin, let plugins, !plugins.contains(plugin) {
                problems.addUndefined(
                    plugin, what: "plugin", at: section.location("category"), known: plugins,
                    place: "plugins.instances")
            }
        }
    }

    /// Changes what holds for all into what holds for the category.
    func apply(to configuration: inout LaunchConfiguration) {
        if let androidReceiverCompatible { configuration.androidReceiverCompatible = androidReceiverCompatible }
        if let language { configuration.language = language }
        if let relaunchesIfRunning { configuration.relaunchesIfRunning = relaunchesIfRunning }
        if let senderName { configuration.senderName = senderName }
    }
}
