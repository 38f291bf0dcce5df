public import CastWire

/// How a plugin feels.
public struct PluginHealth: Hashable, Sendable {
    /// Three degrees.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// All is well.
        case ok
        /// It works, and something is not as it should be.
        case degraded
        /// It does not work.
        case failing
    }

    /// How well it is.
    public var status: Status
    /// Why, for people.
    public var message: String?
    /// More, for programs.
    public var details: JSONObject?

    /// Describes how a plugin feels.
    public init(_ status: Status, message: String? = nil, details: JSONObject? = nil) {
        self.status = status
        self.message = message
        self.details = details
    }

    /// All is well.
    public static let ok = PluginHealth(.ok)
    /// It works, and something is not as it should be.
    public static func degraded(_ message: String) -> PluginHealth { PluginHealth(.degraded, message: message) }
    /// It does not work.
    public static func failing(_ message: String) -> PluginHealth { PluginHealth(.failing, message: message) }
}

extension PluginHealth: WireObject {
    /// A result without a status is a plugin that answers, and so is well.
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            try reader.optionalWord("status") ?? .ok, message: try reader.optionalString("message"),
            details: try reader.optionalObject("details"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["status": .string(self.status.rawValue)]
        json["message"] = self.message.map { .string($0) }
        json["details"] = self.details.map { .object($0) }
        return json
    }
}
