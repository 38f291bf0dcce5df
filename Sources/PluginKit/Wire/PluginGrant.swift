package import CastWire

/// What `gateway.yaml` allows a plugin.
public struct PluginGrant: Hashable, Sendable {
    /// To whom a plugin may send by itself.
    public enum SendScope: String, Hashable, Sendable, CaseIterable {
        /// To nobody.
        case none
        /// To those in a session of which the plugin was given a message.
        case sameSession = "same_session"
        /// To those on a virtual device of which the plugin was given a message.
        case device
        /// To everybody.
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
    /// To whom it may send by itself.
    public var send: SendScope
    /// The events that it may emit, as names or prefixes with `.*`.
    public var events: [String]
    /// What it may reach over TCP.
    public var network: Network
    /// How much it may keep in its store, in bytes.
    public var storage: Int

    /// Describes a grant.
    public init(
        namespaces: [PluginClaim] = [], send: SendScope = .none, events: [String] = [], network: Network = .none,
        storage: Int = 0
    ) {
        self.namespaces = namespaces
        self.send = send
        self.events = events
        self.network = network
        self.storage = storage
    }
}

extension PluginGrant: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            namespaces: try reader.list("namespaces"), send: try reader.optionalWord("send") ?? .none,
            events: try reader.optionalStrings("events") ?? [], network: try reader.optionalWord("network") ?? .none,
            storage: try reader.optionalInt("storage") ?? 0)
    }

    package var json: JSONObject {
        [
            "namespaces": .array(self.namespaces.map { .object($0.json) }), "send": .string(self.send.rawValue),
            "events": .array(self.events.map { .string($0) }), "network": .string(self.network.rawValue),
            "storage": .number(self.storage),
        ]
    }
}
