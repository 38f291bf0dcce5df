/// `sessions`: how Castway keeps its own sessions and those of its senders.
public struct SessionsConfiguration: Sendable, Equatable {
    /// Whether sessions that still run on their devices are taken up again when the gateway starts. Default true.
    public var restoresOnStart: Bool
    /// Whether a session is given up when another sender has launched the app anew. Default true.
    public var isPolite: Bool
    /// Whether ending a session stops its app, if whoever ends it does not say. Default false.
    public var stopsAppOnEnd: Bool
    /// How long a device may be out of reach before senders are told, and sessions suspended. Default 30 s.
    public var suspendAfter: Duration

    /// How long a sender's question waits for a device that is out of reach; zero for not at all. Default 4 s.
    public var waitForDevice: Duration

    /// Makes a configuration from its parts; each has the default of `gateway.yaml`.
    public init(
        restoresOnStart: Bool = true, isPolite: Bool = true, stopsAppOnEnd: Bool = false,
        suspendAfter: Duration = .seconds(30), waitForDevice: Duration = .seconds(4)
    ) {
        self.restoresOnStart = restoresOnStart
        self.isPolite = isPolite
        self.stopsAppOnEnd = stopsAppOnEnd
        self.suspendAfter = suspendAfter
        self.waitForDevice = waitForDevice
    }
}
