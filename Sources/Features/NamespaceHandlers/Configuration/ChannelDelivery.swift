package import GatewayConfig

/// `channels[].deliver[]`: one place where messages of a channel are delivered.
package struct ChannelDelivery: ConfigObject, Hashable {
    /// The name of a webhook of `bridges.webhooks`; nil for none.
    package var webhook: String?
    package var mqtt: Bool?
    /// Into the history of events, also while no reader names the namespace.
    package var events: Bool?

    package static let keys: [Key] = [
        .optional(
            "webhook", \.webhook, .text(maximumBytes: 64), "The name of one of `bridges.webhooks`", example: "backend"),
        .optional("mqtt", \.mqtt, .boolean, "`true` publishes them at the broker of `bridges.mqtt`", example: "true"),
        .optional(
            "events", \.events, .boolean,
            "`true` keeps them in the history of events, for readers that name the namespace later", example: "true"),
    ]

    package init(blank: ConfigBlank) { self.init() }

    package init(webhook: String? = nil, mqtt: Bool? = nil, events: Bool? = nil) {
        self.webhook = webhook
        self.mqtt = mqtt
        self.events = events
    }

    /// Adds places that are none, or several.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let written = ["webhook", "mqtt", "events"].filter(section.isWritten)
        guard written.count != 1 else { return }
        problems.add(
            written.isEmpty ? .missingKey : .inconsistent, at: section.location,
            "exactly one of 'webhook', 'mqtt' and 'events' is wanted", hint: "write one list element for each place")
    }
}
