/// `virtual_devices[].apps.ID.options`: how the simulated player behaves.
public struct SimulationOptions: Sendable, Equatable {
    /// From LOAD to the first media status. Default 200 ms.
    public var loadDelay: Duration
    /// How long the player reports BUFFERING before it plays. Default 100 ms.
    public var buffering: Duration
    /// From LAUNCH to the running app. Default 100 ms: pychromecast breaks its own channel when an app appears while it
    /// still writes the LAUNCH.
    public var launchDelay: Duration
    /// The length of media whose LOAD names none. Default 10 min.
    public var defaultDuration: Duration
    /// How long before the end of an item the next one is preloaded. Default 20 s.
    public var preloadTime: Duration
    /// The length of the seekable window of live media. Default 30 s.
    public var liveWindow: Duration
    /// Media that fail, the first match decides.
    public var failures: [SimulatedFailure]

    /// Makes options from their parts; each has the default of `gateway.yaml`.
    public init(
        loadDelay: Duration = .milliseconds(200),
        buffering: Duration = .milliseconds(100),
        launchDelay: Duration = .milliseconds(100),
        defaultDuration: Duration = .seconds(600),
        preloadTime: Duration = .seconds(20),
        liveWindow: Duration = .seconds(30),
        failures: [SimulatedFailure] = []
    ) {
        self.loadDelay = loadDelay
        self.buffering = buffering
        self.launchDelay = launchDelay
        self.defaultDuration = defaultDuration
        self.preloadTime = preloadTime
        self.liveWindow = liveWindow
        self.failures = failures
    }
}
