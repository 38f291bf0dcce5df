package import CastWire

/// What a plugin makes of a new configuration.
public enum ReloadOutcome: String, Hashable, Sendable, CaseIterable {
    /// It is in force.
    case applied
    /// It takes a new process: the gateway starts one, and drains this one.
    case replace
}

extension ReloadOutcome: WireObject {
    /// An empty result means applied.
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self = try reader.optionalWord("outcome") ?? .applied
    }

    package var json: JSONObject { ["outcome": .string(self.rawValue)] }
}
