import CastWire
import PluginKit

/// What is left of a verdict's effects for others than the router.
enum PluginDeed: Sendable {
    /// Keeps a value.
    case put(key: String, value: JSONValue)
    /// Forgets a value.
    case delete(key: String)
    /// Writes to the log.
    case log(PluginLogLevel, String)
}
