package import CastWire

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

/// A claim as text: as a manifest asks for it, `gateway.yaml` grants it and the wire carries it. The router takes it as a
/// ``Claim``, once its pattern was checked.
public struct PluginClaim: Hashable, Sendable {
    /// A namespace, a prefix with `.*`, or `*`.
    public var match: String
    /// As what.
    public var phase: RoutingPhase
    /// Only messages that travel this way; nil for both.
    public var directions: [MessageDirection]?
    /// Only messages of these types (`LOAD`); nil for all.
    public var types: [String]?
    /// Only messages that pass these virtual devices; nil for all.
    public var devices: [String]?

    /// Only messages to and from these apps, by their ids; nil for all. A grant has it where the plugin is an app's player.
    public var apps: [String]?

    /// Describes a claim.
    public init(
        match: String, phase: RoutingPhase, directions: [MessageDirection]? = nil, types: [String]? = nil,
        devices: [String]? = nil, apps: [String]? = nil
    ) {
        self.match = match
        self.phase = phase
        self.directions = directions
        self.types = types
        self.devices = devices
        self.apps = apps
    }
}

extension PluginClaim {
    /// A claim as it is written on the wire: names in order, both deadline and failure policy left to the operator.
    init(_ claim: Claim) {
        self.init(
            match: claim.pattern.description, phase: claim.phase,
            directions: claim.directions.sorted { $0.rawValue < $1.rawValue }, types: claim.types?.sorted(),
            devices: claim.devices?.sorted(), apps: claim.apps?.map(\.rawValue).sorted())
    }
}

extension PluginClaim: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            match: try reader.string("match"), phase: try reader.word("phase"),
            directions: try reader.optionalWords("directions"), types: try reader.optionalStrings("types"),
            devices: try reader.optionalStrings("devices"), apps: try reader.optionalStrings("apps"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["match": .string(self.match), "phase": .string(self.phase.rawValue)]
        json["directions"] = self.directions.map { .array($0.map { .string($0.rawValue) }) }
        json["types"] = self.types.map { .array($0.map { .string($0) }) }
        json["devices"] = self.devices.map { .array($0.map { .string($0) }) }
        json["apps"] = self.apps.map { .array($0.map { .string($0) }) }
        return json
    }
}
