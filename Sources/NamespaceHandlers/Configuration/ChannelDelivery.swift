public import GatewayConfig

/// `channels[].deliver[]`: one place where messages of a channel are delivered.
public struct ChannelDelivery: ConfigObject, Hashable {
    /// The name of a webhook of `bridges.webhooks`; nil for none.
    public var webhook: String?
    /// To the MQTT broker of `bridges.mqtt`.
    public var mqtt: Bool?
    /// Into the history of events, also while no reader names the namespace.
    public var events: Bool?

    /// The keys of `channels[].deliver[]`.
    public static let keys: [Key] = [
        .optional(
            "webhook", \.webhook, .text(maximumBytes: 64), "The name of one of `bridges.webhooks`", example: "backend"),
        .optional("mqtt", \.mqtt, .boolean, "`true` publishes them at the broker of `bridges.mqtt`", example: "true"),
        .optional(
            "events", \.events, .boolean,
            "`true` keeps them in the history of events, for readers that name the namespace later", example: "true"),
    ]

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init() }

    /// Names a place.
    public init(webhook: String? = nil, mqtt: Bool? = nil, events: Bool? = nil) {
        self.webhook = webhook
        self.mqtt = mqtt
        self.events = events
    }

    /// Adds places that are none, or several.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let written = ["webhook", "mqtt", "events"].filter(section.isWritten)
        guard written.count != 1 else { return }
        problems.add(
            written.isEmpty ? .missingKey : .inconsistent, at: section.location,
            "exactly one of 'webhook', 'mqtt' and 'events' is wanted", hint: "write one list element for each place")
    }
}
