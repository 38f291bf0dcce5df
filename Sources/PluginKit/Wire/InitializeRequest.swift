public import CastWire

/// The gateway's first words: versions, what is granted, the plugin's configuration.
public struct InitializeRequest: Hashable, Sendable {
    /// The versions of the protocol that the gateway speaks.
    public var versions: ClosedRange<Int>
    /// Which gateway it is.
    public var gateway: GatewayIdentity
    /// Which plugin the gateway takes this for; nil when it does not say.
    public var plugin: PluginIdentity?
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
    /// What time it is, in milliseconds since 1970, when a test moves it; else nil.
    public var testTime: Int?

    /// Puts the request together.
    public init(
        versions: ClosedRange<Int> = PluginProtocol.versions, gateway: GatewayIdentity,
        plugin: PluginIdentity? = nil, instance: String, features: [String] = [],
        limits: PluginLimits = PluginLimits(), grant: PluginGrant = PluginGrant(), config: JSONObject = [:],
        stateDirectory: String? = nil, testTime: Int? = nil
    ) {
        self.versions = versions
        self.gateway = gateway
        self.plugin = plugin
        self.instance = instance
        self.features = features
        self.limits = limits
        self.grant = grant
        self.config = config
        self.stateDirectory = stateDirectory
        self.testTime = testTime
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
            plugin: try reader.optionalReader("plugin").map(PluginIdentity.init),
            instance: try reader.string("instance"), features: try reader.optionalStrings("features") ?? [],
            limits: try reader.optionalReader("limits").map(PluginLimits.init) ?? PluginLimits(),
            grant: try reader.optionalReader("grant").map(PluginGrant.init) ?? PluginGrant(),
            config: try reader.optionalObject("config") ?? [:],
            stateDirectory: try reader.optionalString("stateDir"),
            testTime: try reader.optionalReader("clock").map(ClockReading.init)?.now)
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "protocol": ["min": .number(self.versions.lowerBound), "max": .number(self.versions.upperBound)],
            "gateway": .object(self.gateway.json),
        ]
        json["plugin"] = self.plugin.map { .object($0.json) }
        json["instance"] = .string(self.instance)
        json["features"] = .array(self.features.map { .string($0) })
        json["limits"] = .object(self.limits.json)
        json["grant"] = .object(self.grant.json)
        json["config"] = .object(self.config)
        json["stateDir"] = self.stateDirectory.map { .string($0) }
        json["clock"] = self.testTime.map { .object(ClockReading(now: $0).json) }
        return json
    }
}
