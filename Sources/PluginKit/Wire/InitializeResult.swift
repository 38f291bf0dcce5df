package import CastWire

/// The plugin's answer to the gateway's first words.
public struct InitializeResult: Hashable, Sendable {
    /// The version of the protocol that the plugin chose from the gateway's range.
    public var version: Int
    /// The plugin's id, as in its manifest.
    public var pluginID: String
    /// The plugin's version.
    public var pluginVersion: String
    /// What of the grant the plugin wants to be asked about; nil for all of it. May only narrow it.
    public var claims: [PluginClaim]?
    /// What the plugin can do beyond the version's first day.
    public var features: [String]
    /// How many messages it wants at once; nil for what the gateway offers.
    public var maximumInFlight: Int?

    /// Puts the answer together.
    public init(
        version: Int = PluginProtocol.versions.upperBound, pluginID: String, pluginVersion: String,
        claims: [PluginClaim]? = nil, features: [String] = [], maximumInFlight: Int? = nil
    ) {
        self.version = version
        self.pluginID = pluginID
        self.pluginVersion = pluginVersion
        self.claims = claims
        self.features = features
        self.maximumInFlight = maximumInFlight
    }
}

extension InitializeResult: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let plugin = try reader.reader("plugin")
        let hasClaims = reader.object["claims"].map { $0 != .null } ?? false
        self.init(
            version: try reader.int("protocol"), pluginID: try plugin.string("id"),
            pluginVersion: try plugin.optionalString("version") ?? "",
            claims: hasClaims ? try reader.list("claims") : nil,
            features: try reader.optionalStrings("features") ?? [],
            maximumInFlight: try reader.optionalInt("maxInFlight"))
        if let maximum = self.maximumInFlight, maximum < 1 {
            throw reader.fault("maxInFlight", "should be above 0")
        }
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "protocol": .number(self.version),
            "plugin": ["id": .string(self.pluginID), "version": .string(self.pluginVersion)],
        ]
        json["claims"] = self.claims.map { .array($0.map { .object($0.json) }) }
        if !self.features.isEmpty { json["features"] = .array(self.features.map { .string($0) }) }
        json["maxInFlight"] = self.maximumInFlight.map { .number($0) }
        return json
    }
}
