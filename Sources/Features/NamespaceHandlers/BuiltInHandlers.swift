package import GatewayCore
package import Logging

/// Everything of Castway's own that handles messages. Read it from top to bottom: filters run in this order, unless `handlers`
/// says another.
package enum BuiltInHandlers {
    /// The names of the handlers that have one of their own, as logs and plans have them.
    package enum Name {
        /// The rules of `routing.rules`.
        package static let rules = "rules"
        /// The webhooks of `launch.checks`.
        package static let launchChecks = "launch-checks"
        /// The additions of `launch` to launches and loads.
        package static let launchCredentials = "launch-credentials"
        /// The log of who cast what.
        package static let castingLog = "casting log"
        /// The handlers that are there only while a configuration has something for them to do.
        package static let comeAndGo: Set<String> = [rules, launchChecks, launchCredentials]
    }

    /// The handlers that a configuration calls for.
    /// - Parameters:
    ///   - routing: `routing`; its rules become the first filter.
    ///   - launch: `launch`, as it stands at each message; its checks and its credentials become the next ones.
    ///   - checks: `launch.checks`.
    ///   - channels: `channels`, a handler for each namespace.
    ///   - devices: the names of the virtual devices, for channels that name some with wildcards.
    ///   - bridge: carries messages of channels out, and asks webhooks; nil where nothing is sent.
    ///   - plays: how long apps have played that rules give a limited time; without it these play nothing.
    ///   - castingLog: where it is logged who cast what; nil to leave that out.
    package static func make(
        routing: RoutingConfiguration, launch: LaunchSettings, checks: [LaunchCheck] = [],
        channels: [ChannelConfiguration], devices: [String] = [], bridge: (any ChannelBridge)? = nil,
        plays: PlaySessions? = nil,
        castingLog: Logger? = nil
    ) -> [any MessageHandler] {
        var handlers: [any MessageHandler] = []
        if !routing.rules.isEmpty {
            handlers.append(RoutingRulesHandler(rules: routing.rules, timeZone: routing.timeZone, plays: plays))
        }
        // Before credentials of the file are filled in, which are no webhook's business.
        if !checks.isEmpty { handlers.append(LaunchChecker(checks, bridge: bridge)) }
        if launch.mayChangeLaunches || launch.mayChangeLoads {
            handlers.append(LaunchCredentialsHandler(settings: launch))
        }
        handlers.append(ReceiverHandler())
        handlers.append(MediaHandler())
        handlers.append(MultizoneHandler())
        handlers.append(SetupHandler())
        handlers += ChannelHandler.all(of: channels, devices: devices, bridge: bridge)
        if let castingLog { handlers.append(CastingLog(logger: castingLog)) }
        return handlers
    }
}
