package import CastWire

/// Which gateway speaks.
public struct GatewayIdentity: Hashable, Sendable {
    /// The gateway's id, the same after a restart.
    public var id: String
    /// Its name for people.
    public var name: String
    /// Its version.
    public var version: String

    /// Names a gateway.
    public init(id: String, name: String, version: String) {
        self.id = id
        self.name = name
        self.version = version
    }
}

extension GatewayIdentity: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            id: try reader.string("id"), name: try reader.optionalString("name") ?? "",
            version: try reader.optionalString("version") ?? "")
    }

    package var json: JSONObject {
        ["id": .string(self.id), "name": .string(self.name), "version": .string(self.version)]
    }
}
