public import GatewayCore
public import Logging

/// Everything of Castway's own that handles messages. Read it from top to bottom: filters run in this order.
public enum BuiltInHandlers {
    /// The handlers that a configuration calls for.
    /// - Parameters:
    ///   - routing: `routing`; its rules become the first filter.
    ///   - launch: `launch`, as it stands at each message; its credentials become the second and third.
    ///   - channels: `channels`, a handler each.
    ///   - relayedApps: for each virtual device that lists the apps of its device, which ones; by name.
    ///   - castingLog: where it is logged who cast what; nil to leave that out.
    public static func make(
        routing: RoutingConfiguration, launch: LaunchSettings, channels: [ChannelConfiguration],
        relayedApps: [String: Set<String>], castingLog: Logger? = nil
    ) -> [any MessageHandler] {
        var handlers: [any MessageHandler] = []
        if !routing.rules.isEmpty {
            handlers.append(RoutingRulesHandler(rules: routing.rules, timeZone: routing.timeZone))
        }
        if launch.mayChangeLaunches { handlers.append(LaunchCredentialsHandler(settings: launch)) }
        if launch.mayChangeLoads { handlers.append(LoadCredentialsHandler(settings: launch)) }
        handlers.append(ReceiverHandler(relayedApps: relayedApps))
        handlers.append(MediaHandler())
        handlers.append(MultizoneHandler())
        handlers.append(SetupHandler())
        handlers += channels.map { ChannelHandler(configuration: $0) }
        if let castingLog { handlers.append(CastingLog(logger: castingLog)) }
        return handlers
    }
}
