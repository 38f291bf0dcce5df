import GatewayCore
import NIOCore
import PluginKit

/// A message that a plugin is asked about. For the event loop of the plugin's wire.
final class PluginWorkItem {
    let message: RoutedMessage
    let phase: RoutingPhase
    /// When nobody waits any more.
    var deadline: NIODeadline
    let deferral: Deferral
    /// The number of the request, once the plugin was asked.
    var number = 0
    /// The gateway's id of the message.
    let id: String

    init(message: RoutedMessage, phase: RoutingPhase, deadline: NIODeadline, deferral: Deferral, id: String) {
        self.message = message
        self.phase = phase
        self.deadline = deadline
        self.deferral = deferral
        self.id = id
    }
}
