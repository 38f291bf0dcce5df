public import CastWire

/// What stands under `config` in `gateway.yaml`. The gateway has checked it against the manifest's schema, if there is one.
public struct PluginConfiguration: Hashable, Sendable {
    /// The values.
    public let json: JSONObject

    /// Wraps values.
    public init(_ json: JSONObject) {
        self.json = json
    }

    /// The configuration as a type.
    /// - Throws: ``ConfigurationProblem`` that says where it does not fit; the gateway finds the line in `gateway.yaml`.
    public func decode<Value: Decodable>(_: Value.Type = Value.self) throws(ConfigurationProblem) -> Value {
        do throws(JSONCodingError) {
            return try JSONValueDecoder.decode(Value.self, from: .object(self.json))
        } catch {
            throw ConfigurationProblem(path: error.pointer, message: error.reason)
        }
    }
}
