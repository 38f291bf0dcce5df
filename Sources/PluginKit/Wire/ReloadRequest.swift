public import CastWire

/// What stands in `gateway.yaml` now.
public struct ReloadRequest: Hashable, Sendable {
    /// The configuration; all of it, not what changed.
    public var config: JSONObject
    /// What is allowed from now on; nil when that did not change.
    public var grant: PluginGrant?

    /// Puts the request together.
    public init(config: JSONObject, grant: PluginGrant? = nil) {
        self.config = config
        self.grant = grant
    }
}

extension ReloadRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            config: try reader.optionalObject("config") ?? [:],
            grant: try reader.optionalReader("grant").map(PluginGrant.init))
    }

    package var json: JSONObject {
        var json: JSONObject = ["config": .object(self.config)]
        json["grant"] = self.grant.map { .object($0.json) }
        return json
    }
}
