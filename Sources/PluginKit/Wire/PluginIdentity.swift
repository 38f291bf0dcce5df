package import CastWire

/// Which plugin it is, as its manifest says.
public struct PluginIdentity: Hashable, Sendable {
    /// The manifest's `id`.
    public var id: String
    /// The manifest's `version`.
    public var version: String

    /// Names a plugin.
    public init(id: String, version: String) {
        self.id = id
        self.version = version
    }
}

extension PluginIdentity: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(id: try reader.string("id"), version: try reader.optionalString("version") ?? "")
    }

    package var json: JSONObject { ["id": .string(self.id), "version": .string(self.version)] }
}
