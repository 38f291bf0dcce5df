package import GatewayConfig

/// `apps.APP.queue`: where the items of an app's queue come from, and how many of them a status has.
package struct VirtualQueueConfiguration: ConfigSettings, Hashable {
    /// The source of the items, when they are wanted.
    package struct Provider: ConfigObject, Hashable {
        /// The name of the plugin's instance.
        package var plugin = ""

        package static let keys: [Key] = [
            .required(
                "plugin", \.plugin, .text(maximumBytes: 64),
                "The name of an instance in `plugins.instances` whose `plugin.yaml` has `provides: [queue]`",
                example: "radio")
        ]

        package init(blank: ConfigBlank) {}

        package init(plugin: String) {
            self.plugin = plugin
        }
    }

    /// The source of the items; nil when the queue holds what senders put into it.
    package var provider: Provider?
    /// The time the provider may take for an answer.
    package var deadline = Duration.seconds(3)
    /// The number of items in a status, the current one among them.
    package var statusLimit = 3

    package static let keys: [Key] = [
        .optional(
            "provider", \.provider, .object,
            "Who is asked for items: when something is loaded, when the last or the first item plays, when a sender looks beyond them, and "
                + "when the queue is shuffled"),
        Key(
            "deadline", \.deadline, .duration(.milliseconds(1)...(.seconds(10))),
            "How long the provider may take; without its answer the queue stays as it is"),
        Key("status_limit", \.statusLimit, .integer(1...100), "How many items a status has, around the current one"),
    ]

    package init() {}
}
