package import GatewayConfig

/// `bridges`: where messages of apps and events are delivered outside of the gateway, and from where they come.
package struct BridgesConfiguration: ConfigSettings {
    /// Back ends over HTTP.
    package var webhooks: [WebhookConfiguration] = []
    /// The broker; nil for none.
    package var mqtt: MQTTConfiguration?

    package static let keys: [Key] = [
        Key(
            "webhooks", \.webhooks, .list(of: .object, namedBy: "name", \.name),
            "Back ends that get messages of channels and events over HTTP, signed by Standard Webhooks", reload: .hot),
        .optional(
            "mqtt", \.mqtt, .object, "The MQTT broker that gets messages, events and state, and has things done",
            reload: .hot),
    ]

    package init() {}
}
