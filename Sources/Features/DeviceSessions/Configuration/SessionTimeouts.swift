/// `sessions.timeouts`: how long devices and their apps may take to answer what Castway asks for itself and for callers. A request that
/// takes longer fails with the code `timeout`.
package struct SessionTimeouts: Hashable, Sendable {
    /// The time an answer of the device's platform, or of an app about its media, may take.
    package var answer = Duration.seconds(10)
    /// The time a device may take to come in reach and say what runs, and then again to launch an app.
    package var launch = Duration.seconds(30)
    /// The time a launch may take from the moment at which the device asks its user.
    package var consent = Duration.seconds(120)
    /// The time an app may take to load media.
    package var load = Duration.seconds(60)

    /// Makes the times with the defaults of `gateway.yaml`.
    package init() {}
}
