/// `admin`: how the gateway is asked to do things.
public struct AdminConfiguration: Sendable, Hashable {
    /// Where it listens for that. Default ``AdminAddress/stateDirectory``.
    public var listen: AdminAddress

    /// Makes a configuration; each part has the default of `gateway.yaml`.
    public init(listen: AdminAddress = .stateDirectory) {
        self.listen = listen
    }
}
