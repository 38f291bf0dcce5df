package import FeatureContract
package import GatewayCore
import GatewayOperations
package import GatewaySettings
package import Logging
package import NIOCore
package import NamespaceHandlers
import Synchronization
import VirtualDevices

/// Castway's own handlers of messages, as `routing`, `launch` and `channels` call for them.
package final class BuiltInHandlersFeature: OperatingFeature {
    package let name = "built-in handlers"
    /// What launches follow: `launch`, and credentials that were set since.
    package let launch: LaunchSettings
    /// How long apps have played that rules give a limited time.
    package let plays: PlaySessions
    private let context: GatewayContext
    private let castingLog: Logger
    private let bridge: any ChannelBridge
    private let inForce: Mutex<[any MessageHandler]>

    /// - Parameters:
    ///   - eventLoop: keeps the time of apps that may play for a limited one.
    ///   - bridge: carries messages of channels out.
    ///   - castingLog: where it is logged who cast what.
    package init(
        _ context: GatewayContext, eventLoop: any EventLoop, bridge: any ChannelBridge,
        castingLog: Logger = Logger(label: "CastingLog")
    ) {
        let configuration = context.configuration.current
        self.context = context
        let plays = PlaySessions(eventLoop: eventLoop)
        self.plays = plays
        let launch = LaunchSettings(configuration.launch, events: context.events)
        self.launch = launch
        self.castingLog = castingLog
        self.bridge = bridge
        self.inForce = Mutex(
            configuration.builtInHandlers(launch: launch, plays: plays, bridge: bridge, castingLog: castingLog))
    }

    package var handlers: [any MessageHandler] { self.inForce.withLock { $0 } }

    package func handlers(for configuration: GatewayConfiguration) -> [any MessageHandler] {
        configuration.builtInHandlers(
            launch: self.launch, plays: self.plays, bridge: self.bridge, castingLog: self.castingLog)
    }

    package static let offered: [Offer<BuiltInHandlersFeature>] = [
        Offer { ListCredentials(launch: $0.launch, context: $0.context) },
        Offer { SetCredentials(launch: $0.launch, context: $0.context) },
        Offer { ClearCredentials(launch: $0.launch, context: $0.context) },
    ]

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let (old, new) = (change.old, change.new)
        // Rules that say the same go on with what they have counted.
        let rules = old.routing == new.routing ? self.handlers.first { $0.name == BuiltInHandlers.Name.rules } : nil
        let handlers = self.handlers(for: new).map { $0.name == rules?.name ? rules ?? $0 : $0 }
        let limits = Set(old.routing.rules.filter { $0.limit?.play != nil }.map { Self.limit(of: $0) })
        let kept = new.routing.rules.filter { limits.contains(Self.limit(of: $0)) }.map(\.name)
        return PreparedChange(
            handlers: { handlers },
            commit: {
                self.launch.configure(new.launch)
                self.plays.keep(rules: Set(kept))
                self.inForce.withLock { $0 = handlers }
            })
    }

    /// A rule that is called otherwise, or lets apps play for another time, begins to count anew.
    private static func limit(of rule: RoutingRule) -> String {
        "\(rule.name) \(rule.limit?.play.map { "\($0)" } ?? "")"
    }
}
