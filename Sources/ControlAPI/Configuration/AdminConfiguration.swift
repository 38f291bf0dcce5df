/// `admin`: how the gateway is asked to do things.
public struct AdminConfiguration: Sendable, Hashable {
    /// Where it listens for that. Default ``AdminAddress/stateDirectory``.
    public var listen: AdminAddress
    /// How many connections there may be to it, 2 to 1024. Default 32.
    public var maxConnections: Int

    /// Makes a configuration; each part has the default of `gateway.yaml`.
    public init(listen: AdminAddress = .stateDirectory, maxConnections: Int = 32) {
        self.listen = listen
        self.maxConnections = maxConnections
    }
}
