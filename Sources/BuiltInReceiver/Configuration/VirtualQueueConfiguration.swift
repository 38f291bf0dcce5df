public import GatewayConfig

/// `apps.APP.queue`: where the items of an app's queue come from, and how many of them a status has.
public struct VirtualQueueConfiguration: ConfigSettings, Hashable {
    /// Who gives the items, when they are wanted.
    public struct Provider: ConfigObject, Hashable {
        /// The name of the plugin's instance.
        public var plugin = ""

        /// The keys of `queue.provider`.
        public static let keys: [Key] = [
            .required(
                "plugin", \.plugin, .text(maximumBytes: 64),
                "The name of an instance in `plugins.instances` whose `plugin.yaml` has `provides: [queue]`",
                example: "radio")
        ]

        /// What holds before anything is read.
        public init(blank: ConfigBlank) {}

        /// Names a provider.
        public init(plugin: String) {
            self.plugin = plugin
        }
    }

    /// Who gives the items; nil when the queue holds what senders put into it.
    public var provider: Provider?
    /// How long the provider may take for an answer.
    public var deadline = Duration.seconds(3)
    /// How many items a status has, the current one among them.
    public var statusLimit = 3

    /// The keys of `queue`.
    public static let keys: [Key] = [
        .optional(
            "provider", \.provider, .object,
            "Who is asked for items: when something is loaded, when the last or the first item plays, when a sender looks beyond them, and "
                + "when the queue is shuffled"),
        Key(
            "deadline", \.deadline, .duration(.milliseconds(1)...(.seconds(10))),
            "How long the provider may take; without its answer the queue stays as it is"),
        Key("status_limit", \.statusLimit, .integer(1...100), "How many items a status has, around the current one"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}
}
