/// `sessions.timeouts`: how long devices and their apps may take to answer what Castway asks for itself and for callers. A request that
/// takes longer fails with the code `timeout`.
public struct SessionTimeouts: Hashable, Sendable {
    /// How long an answer of the device's platform, or of an app about its media, may take.
    public var answer = Duration.seconds(10)
    /// How long a device may take to come in reach and say what runs, and then again to launch an app.
    public var launch = Duration.seconds(30)
    /// How long a launch may take from the moment at which the device asks its user.
    public var consent = Duration.seconds(120)
    /// How long an app may take to load media.
    public var load = Duration.seconds(60)

    /// Makes the times with the defaults of `gateway.yaml`.
    public init() {}
}
