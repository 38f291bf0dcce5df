package import CastWire

/// One thing that a plugin cannot make sense of in its configuration.
public struct ConfigurationProblem: Error, Hashable, Sendable {
    /// Where, as a JSON pointer (RFC 6901) into the plugin's `config`: `/points_per_minute`; empty for all of it.
    public var path: String
    /// What is wrong, for people.
    public var message: String
    /// What could be written instead.
    public var suggestion: String?

    /// Describes a problem.
    public init(path: String, message: String, suggestion: String? = nil) {
        self.path = path
        self.message = message
        self.suggestion = suggestion
    }
}

extension ConfigurationProblem: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            path: try reader.string("path"), message: try reader.string("message"),
            suggestion: try reader.optionalString("suggestion"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["path": .string(self.path), "message": .string(self.message)]
        json["suggestion"] = self.suggestion.map { .string($0) }
        return json
    }
}
