public import GatewayCore
import Logging
import NamespaceHandlers
import Synchronization
import VirtualDevices

/// Castway's own handlers of messages, as `routing`, `launch` and `channels` call for them.
final class BuiltInHandlersFeature: GatewayFeature {
    let name = "built-in handlers"
    /// What launches follow: `launch`, and credentials that were set since.
    let launch: LaunchSettings
    private let castingLog: Logger
    private let inForce: Mutex<[any MessageHandler]>

    /// - Parameters:
    ///   - events: where changes of credentials are published.
    ///   - castingLog: where it is logged who cast what.
    init(_ configuration: GatewayConfiguration, events: EventBus, castingLog: Logger = Logger(label: "CastingLog")) {
        let launch = LaunchSettings(configuration.launch, events: events)
        self.launch = launch
        self.castingLog = castingLog
        self.inForce = Mutex(configuration.builtInHandlers(launch: launch, castingLog: castingLog))
    }

    var handlers: [any MessageHandler] { self.inForce.withLock { $0 } }

    func handlers(for configuration: GatewayConfiguration) -> [any MessageHandler] {
        configuration.builtInHandlers(launch: self.launch, castingLog: self.castingLog)
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new
        let handlers = self.handlers(for: new)
        return PreparedChange(
            handlers: { handlers },
            commit: {
                self.launch.configure(new.launch)
                self.inForce.withLock { $0 = handlers }
            })
    }
}

extension GatewayConfiguration {
    /// The handlers that the configuration calls for, filters first; they log nothing.
    public var builtInHandlers: [any MessageHandler] {
        self.builtInHandlers(
            launch: LaunchSettings(self.launch),
            castingLog: Logger(label: "CastingLog") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The handlers that the configuration calls for, filters first.
    /// - Parameters:
    ///   - launch: what launches follow, which may change while the gateway runs.
    ///   - castingLog: where it is logged who cast what.
    fileprivate func builtInHandlers(launch: LaunchSettings, castingLog: Logger) -> [any MessageHandler] {
        BuiltInHandlers.make(
            routing: self.routing, launch: launch, channels: self.channels, castingLog: castingLog)
    }
}
