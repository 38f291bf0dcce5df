package import CastWire

/// Which messages a plugin is asked about, and as what: asked for in a manifest, granted in `gateway.yaml`.
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
