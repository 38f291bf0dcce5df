public import GatewayConfig

/// `bridges`: where messages of apps and events are delivered outside of the gateway, and from where they come.
public struct BridgesConfiguration: ConfigSettings {
    /// Back ends over HTTP.
    public var webhooks: [WebhookConfiguration] = []
    /// The MQTT broker; nil for none.
    public var mqtt: MQTTConfiguration?

    /// The keys of `bridges`.
    public static let keys: [Key] = [
        Key(
            "webhooks", \.webhooks, .list(of: .object, namedBy: "name", \.name),
            "Back ends that get messages of channels and events over HTTP, signed by Standard Webhooks", reload: .hot),
        .optional(
            "mqtt", \.mqtt, .object, "The MQTT broker that gets messages, events and state, and has things done",
            reload: .hot),
    ]

    /// No bridges.
    public init() {}
}
