import GatewayCore
import PluginKit
import Synchronization

/// A plugin as a handler: hands messages to the process that runs now, and fails at once when none does.
final class PluginHandler: MessageHandler {
    /// The state that the routers ask for every message.
    private struct State {
        var connection: PluginConnection?
        /// The reason there is no connection; nil for one that is not started here.
        var reason: String?
    }

    private static let disabled = "the plugin is not enabled"

    let name: String
    let claims: [Claim]
    /// Hides from the plugin what it was not granted.
    let isConfinedToClaims = true
    private let state: Mutex<State>

    /// - Parameter obstacle: why it answers nothing without a connection.
    init(
        name: String, claims: [Claim], connection: PluginConnection? = nil,
        obstacle: String? = "the plugin has not started yet"
    ) {
        self.name = name
        self.claims = claims
        self.state = Mutex(State(connection: connection, reason: obstacle))
    }

    /// The handler of an instance of which no process runs yet.
    convenience init(waitingFor instance: PluginInstance) {
        self.init(
            name: instance.name, claims: instance.handlerClaims(),
            obstacle: instance.isEnabled ? "the plugin has not started yet" : Self.disabled)
    }

    /// The handler that an instance would be, with all that it is granted; it is never started.
    convenience init(silentFor instance: PluginInstance) {
        self.init(
            name: instance.name, claims: instance.handlerClaims(),
            obstacle: instance.isEnabled ? nil : Self.disabled)
    }

    var obstacle: String? { self.state.withLock { $0.connection == nil ? $0.reason : nil } }

    /// Sends messages to a connection from now on.
    func attach(_ connection: PluginConnection) {
        self.state.withLock { $0.connection = connection }
    }

    /// Messages fail from now on, unless another connection has taken the place meanwhile.
    func detach(_ connection: PluginConnection?, reason: String) {
        self.state.withLock { state in
            if let connection, state.connection !== connection { return }
            state.connection = nil
            state.reason = reason
        }
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
        let (connection, reason) = self.state.withLock { ($0.connection, $0.reason) }
        guard let connection else {
            // A copy without a receiver is no failure of the message.
            if context.claim.phase == .observe { return .pass }
            throw GatewayError(.unavailable, reason ?? "the plugin does not run")
        }
        switch context.claim.phase {
        case .observe:
            connection.observe(message)
            return .pass
        case .filter: connection.submit(message, phase: .filter, deadline: context.deadline, context.deferral())
        case .handle: connection.submit(message, phase: .handle, deadline: context.deadline, context.deferral())
        }
        return .deferred
    }
}
