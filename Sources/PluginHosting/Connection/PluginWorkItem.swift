import GatewayCore
import NIOCore
import PluginKit

/// A message that a plugin is asked about.
struct PluginWorkItem {
    let message: RoutedMessage
    let phase: PluginPhase
    /// When nobody waits any more.
    var deadline: NIODeadline
    let deferral: Deferral
    /// The gateway's id of the message.
    let id: String
}
