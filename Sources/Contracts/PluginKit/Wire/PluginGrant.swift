/// What `gateway.yaml` allows a plugin.
public struct PluginGrant: Hashable, Sendable {
    /// The receivers that a plugin may send to by itself.
    public enum SendScope: String, Hashable, Sendable, CaseIterable {
        /// None.
        case none
        /// Those in a session of which the plugin was given a message.
        case sameSession = "same_session"
        /// Those on a virtual device of which the plugin was given a message.
        case device
        /// All.
        case any
    }

    /// What a plugin's process may reach over TCP.
    public enum Network: String, Hashable, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// This machine.
        case loopback
        /// Everything.
        case any
    }

    /// The messages that the plugin is asked about.
    public var namespaces: [PluginClaim]
    /// The receivers that it may send to by itself.
    public var send: SendScope
    /// The events that it may emit, as names or prefixes with `.*`.
    public var events: [String]
    /// What it may reach over TCP.
    public var network: Network
    /// How much it may keep in its store, in bytes.
    public var storage: Int
    /// The operations of the gateway that it may have done, as names or with `*`.
    public var operations: [String]
    /// Its own operations that callers may have done, by name.
    public var offers: [String]
    /// What else it may give: `devices`.
    public var provides: [String] = []

    /// Describes a grant.
    public init(
        namespaces: [PluginClaim] = [], send: SendScope = .none, events: [String] = [], network: Network = .none,
        storage: Int = 0, operations: [String] = [], offers: [String] = []
    ) {
        self.operations = operations
        self.offers = offers
        self.namespaces = namespaces
        self.send = send
        self.events = events
        self.network = network
        self.storage = storage
    }
}

extension PluginGrant: WireRecord {
    package static let blank = Self()

    package static let members: [Member] = [
        Member("namespaces", \.namespaces), Member("send", \.send), Member("events", \.events),
        Member("network", \.network), Member("storage", \.storage), .unlessDefault("operations", \.operations),
        .unlessDefault("offers", \.offers), .unlessDefault("provides", \.provides),
    ]
}

extension PluginGrant.SendScope: ClosedWord {}
extension PluginGrant.Network: ClosedWord {}
