public import GatewayConfig

/// `gateway`: who this gateway is and where it keeps its state.
public struct GatewaySettings: ConfigSettings {
    /// 1 to 32 of `a-z`, `0-9` and `-`; appears in topics and the API.
    public var id = "gw1"
    /// What people read.
    public var name = "Castway"
    /// The folder for state, as a path from the root or from the working directory.
    public var stateDirectory = "./state"

    /// The keys of `gateway`.
    public static let keys: [Key] = [
        Key(
            "id", \.id, .text(allowed: "a-z0-9-", length: 1...32),
            "Tells gateways apart in logs; never changes by itself", reload: .restart),
        Key(
            "name", \.name, .text(maximumBytes: 200), "The name that people read, in logs and when it starts",
            reload: .hot),
        Key(
            "state_directory", \.stateDirectory, .path, "The folder for state, relative to the folder of this file",
            example: "/var/lib/castway", reload: .restart),
    ]

    /// Makes settings with the defaults of `gateway.yaml`.
    public init() {}
}
