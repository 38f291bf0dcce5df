public import CastWire

/// The gateway's first words: versions, what is granted, the plugin's configuration.
public struct InitializeRequest: Hashable, Sendable {
    /// The versions of the protocol that the gateway speaks.
    public var versions: ClosedRange<Int>
    /// Which gateway it is.
    public var gateway: GatewayIdentity
    /// The plugin's name in `gateway.yaml`.
    public var instance: String
    /// What the gateway can do beyond the version's first day.
    public var features: [String]
    /// How much, and how long.
    public var limits: PluginLimits
    /// What is allowed.
    public var grant: PluginGrant
    /// What stands under `config` in `gateway.yaml`, with the defaults of the manifest's schema.
    public var config: JSONObject
    /// A folder of the plugin's own; nil when it has none.
    public var stateDirectory: String?

    /// Puts the request together.
    public init(
        versions: ClosedRange<Int> = PluginProtocol.versions, gateway: GatewayIdentity, instance: String,
        features: [String] = [], limits: PluginLimits = PluginLimits(), grant: PluginGrant = PluginGrant(),
        config: JSONObject = [:], stateDirectory: String? = nil
    ) {
        self.versions = versions
        self.gateway = gateway
        self.instance = instance
        self.features = features
        self.limits = limits
        self.grant = grant
        self.config = config
        self.stateDirectory = stateDirectory
    }
}

extension InitializeRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let versions = try reader.reader("protocol")
        let minimum = try versions.int("min")
        let maximum = try versions.int("max")
        guard minimum <= maximum else { throw versions.fault("min", "is above max") }
        self.init(
            versions: minimum...maximum, gateway: try GatewayIdentity(try reader.reader("gateway")),
            instance: try reader.string("instance"), features: try reader.optionalStrings("features") ?? [],
            limits: try reader.optionalReader("limits").map(PluginLimits.init) ?? PluginLimits(),
            grant: try reader.optionalReader("grant").map(PluginGrant.init) ?? PluginGrant(),
            config: try reader.optionalObject("config") ?? [:],
            stateDirectory: try reader.optionalString("stateDir"))
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "protocol": ["min": .number(self.versions.lowerBound), "max": .number(self.versions.upperBound)],
            "gateway": .object(self.gateway.json), "instance": .string(self.instance),
            "features": .array(self.features.map { .string($0) }), "limits": .object(self.limits.json),
            "grant": .object(self.grant.json), "config": .object(self.config),
        ]
        json["stateDir"] = self.stateDirectory.map { .string($0) }
        return json
    }
}
