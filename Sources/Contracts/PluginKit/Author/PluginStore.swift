public import CastWire

/// A plugin's small durable store: names and JSON values that survive restarts of plugin and gateway.
public struct PluginStore: Sendable {
    private let calls: GatewayCalls

    init(_ calls: GatewayCalls) {
        self.calls = calls
    }

    /// The value under a key; nil when there is none.
    /// - Throws: what the gateway refuses it with.
    public func get(_ key: String) async throws(PluginRPCError) -> JSONValue? {
        try await self.calls.call(.get(key: key)).reading { response throws(PluginLineFault) in
            try response.value()
        }
    }

    /// The value under a key as a type; nil when there is none, or when it is of another type.
    /// - Throws: what the gateway refuses it with.
    public func get<Value: Decodable>(_ key: String, as _: Value.Type) async throws(PluginRPCError) -> Value? {
        guard let json = try await self.get(key) else { return nil }
        return try? JSONValueDecoder.decode(Value.self, from: json)
    }

    /// Keeps a value; it is on disk when this returns.
    /// - Throws: what the gateway refuses it with, such as ``PluginErrorCode/tooLarge``.
    public func put(_ key: String, _ value: JSONValue) async throws(PluginRPCError) {
        _ = try await self.calls.call(.put(key: key, value: value))
    }

    /// Keeps a typed value; it is on disk when this returns.
    /// - Throws: what the gateway refuses it with, or ``PluginErrorCode/invalidParameters`` for what JSON cannot hold.
    public func put(_ key: String, encoding value: some Encodable) async throws(PluginRPCError) {
        let json: JSONValue
        do throws(JSONCodingError) {
            json = try JSONValueEncoder.encode(value)
        } catch {
            throw PluginRPCError(.invalidParameters, error.description)
        }
        try await self.put(key, json)
    }

    /// Forgets a key; one that is not there is no error.
    /// - Throws: what the gateway refuses it with.
    public func delete(_ key: String) async throws(PluginRPCError) {
        _ = try await self.calls.call(.delete(key: key))
    }

    /// The keys that begin so, in order.
    /// - Throws: what the gateway refuses it with.
    public func keys(prefix: String = "") async throws(PluginRPCError) -> [String] {
        try await self.calls.call(.list(prefix: prefix)).reading { response throws(PluginLineFault) in
            try response.keys()
        }
    }
}
