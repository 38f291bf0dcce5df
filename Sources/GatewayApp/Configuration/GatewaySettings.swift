/// `gateway`: who this gateway is and where it keeps its state.
public struct GatewaySettings: Sendable, Equatable {
    /// 1 to 32 of `a-z`, `0-9` and `-`; appears in topics and the API. Default `gw1`.
    public var id: String
    /// What people read. Default `Castway`.
    public var name: String
    /// The folder for state, as a path from the root or from the working directory. Default `./state`.
    public var stateDirectory: String

    /// Makes settings from their parts; each has the default of `gateway.yaml`.
    public init(id: String = "gw1", name: String = "Castway", stateDirectory: String = "./state") {
        self.id = id
        self.name = name
        self.stateDirectory = stateDirectory
    }
}
