import CastWire
public import GatewayConfig
import GatewayCore

extension RoutingCondition {
    /// The keys of `routing.rules[].when`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "namespace",
            .namespacePattern,
            .optional,
            "The namespace, or a prefix that ends in `.*`",
            example: "\"urn:x-cast:com.google.cast.receiver\""
        ),
        ConfigField(
            "type",
            .text(maximumBytes: 128),
            .optional,
            "The `type` of the message's JSON payload",
            example: "LAUNCH"
        ),
        ConfigField(
            "app",
            .appID,
            .optional,
            "The app that the message launches, stops or is addressed to",
            example: "CC1AD845"
        ),
        ConfigField(
            "app_not_in",
            .list(of: .appID),
            .optional,
            "Matches every app but these",
            example: "[CC1AD845]"
        ),
        ConfigField("sender", .addressRange, .optional, "The address of the sender", example: "10.20.0.0/16"),
        ConfigField("device", .text(maximumBytes: 32), .optional, "The name of a virtual device", example: "lobby"),
    ])

    /// The names of the keys.
    static let keys = ["namespace", "type", "app", "app_not_in", "sender", "device"]

    /// Whether a section names no condition at all.
    static func isEmpty(_ section: ConfigSection) -> Bool {
        !Self.keys.contains { section.has($0) }
    }

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            namespace: section.optionalString("namespace").map {
                // The schema admits patterns only; a rule must never match more than what is written.
                NamespacePattern($0) ?? .exact(Namespace(rawValue: $0))
            },
            type: section.optionalString("type"),
            app: section.optionalString("app"),
            appNotIn: section.optionalStrings("app_not_in"),
            sender: section.optionalAddressRange("sender"),
            device: section.optionalString("device")
        )
    }
}
