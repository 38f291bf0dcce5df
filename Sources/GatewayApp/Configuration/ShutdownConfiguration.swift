public import GatewayConfig

/// `shutdown`: how the gateway stops.
public struct ShutdownConfiguration: ConfigSettings {
    /// How long connections may finish what they are doing.
    public var drain = Duration.seconds(5)
    /// How long everything together may take before the process ends; at least `drain`.
    public var total = Duration.seconds(20)
    /// Whether apps on real devices are stopped; otherwise media keeps playing.
    public var stopReceivers = false

    /// The keys of `shutdown`.
    public static let keys: [Key] = [
        Key(
            "drain", \.drain, .duration(.zero ... .seconds(3600)),
            "How long connections may finish what they are doing"),
        Key(
            "total", \.total, .duration(.zero ... .seconds(3600)),
            "How long everything together may take before the process ends; at least `drain`"),
        Key(
            "stop_receivers", \.stopReceivers, .boolean,
            "Whether apps on real devices are stopped; otherwise media keeps playing"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}

    /// Adds a total time that is shorter than its part.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireDuration("total", exceeds: "drain", orEqual: true, problems: &problems)
    }
}
