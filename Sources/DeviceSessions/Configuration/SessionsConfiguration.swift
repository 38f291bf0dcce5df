public import GatewayConfig

/// `sessions`: how Castway keeps its own sessions and those of its senders.
public struct SessionsConfiguration: ConfigSettings {
    /// Whether sessions that still run on their devices are taken up again when the gateway starts.
    public var restoresOnStart = true
    /// Whether a session is given up when another sender has launched the app anew.
    public var isPolite = true
    /// Whether ending a session stops its app, when the caller that ends it does not say.
    public var stopsAppOnEnd = false
    /// How long a device may be out of reach before senders are told, and sessions suspended.
    public var suspendAfter = Duration.seconds(30)
    /// How long a sender's question waits for a device that is out of reach; zero for not at all.
    public var waitForDevice = Duration.seconds(4)

    /// The keys of `sessions`.
    public static let keys: [Key] = [
        Key(
            "restore_on_start", \.restoresOnStart, .boolean,
            "Whether sessions that still run on their devices are taken up again when the gateway starts"),
        Key(
            "polite", \.isPolite, .boolean,
            "Whether a session is given up when another sender has launched its app anew meanwhile"),
        Key(
            "stop_app_on_end", \.stopsAppOnEnd, .boolean,
            "Whether ending a session stops its app, when the caller that ends it does not say"),
        Key(
            "suspend_after", \.suspendAfter, .duration(.zero ... .seconds(3600)),
            "How long a device may be out of reach before its senders are told and sessions are suspended"),
        Key(
            "wait_for_device", \.waitForDevice, .duration(.zero ... .seconds(10)),
            "How long a sender that asks a device out of reach for its status or its apps waits for it before it is told that "
                + "nothing is there; `0s` means not at all. Chromium takes 5 s for a failure"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    public init() {}
}
