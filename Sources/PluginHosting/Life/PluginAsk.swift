import GatewayCore
import PluginKit

/// Something that a plugin wants done, in the order in which it said so.
enum PluginAsk: Sendable {
    /// A request; it wants an answer.
    case call(PluginCall, PluginRequestID, cause: MessageOrigin?)
    /// An effect of a verdict; nobody waits.
    case effect(Effect)
}
