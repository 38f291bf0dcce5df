import BuiltInReceiver
import GatewayConfig
package import GatewayCore
import GatewayLogging
package import Logging
package import NamespaceHandlers
import PluginHosting
import VirtualDevices

extension GatewayConfiguration {
    /// The handlers that the configuration calls for, filters first; they log nothing.
    package var builtInHandlers: [any MessageHandler] {
        self.builtInHandlers(
            launch: LaunchSettings(self.launch), plays: nil, bridge: nil,
            castingLog: Logger(label: "CastingLog") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The handlers that the configuration calls for, filters first.
    /// - Parameters:
    ///   - launch: what launches follow, which may change while the gateway runs.
    ///   - plays: how long apps have played that rules give a limited time.
    ///   - bridge: carries messages of channels out.
    ///   - castingLog: where it is logged who cast what.
    package func builtInHandlers(
        launch: LaunchSettings, plays: PlaySessions?, bridge: (any ChannelBridge)?, castingLog: Logger
    ) -> [any MessageHandler] {
        BuiltInHandlers.make(
            routing: self.routing, launch: launch, checks: self.launch.checks, channels: self.channels,
            devices: self.virtualDevices.map(\.name), bridge: bridge, plays: plays, castingLog: castingLog)
    }

    /// Which handlers are asked in which order, as `handlers` says.
    package var handlerPlan: HandlerPlan {
        self.handlers.plan(channels: self.channels, plugins: self.plugins.instances.map(\.name)) { devices in
            self.virtualDevices(named: devices)
        }
    }

    /// What `routing` says, and whether messages are counted.
    package func routerSettings(_ metering: MessageMetering) -> RouterSettings {
        var settings = self.routing.router
        settings.metering = self.metrics == nil ? nil : metering
        return settings
    }

    /// Renders payloads for the log when `log.payloads` asks for it.
    package var payloadText: MessageRouter.PayloadText? {
        guard self.log.payloads else { return nil }
        let log = PayloadLog(self.log)
        return { log.text(of: $0) }
    }

    /// What holds of messages whichever handlers are asked: `apps` of the virtual devices that stand for others.
    package var messageGuard: any MessageGuard { PlatformGuard(relayedApps: self.relayedApps) }

    /// The same for a reload: virtual devices that go serve their senders until they have stopped.
    package func messageGuard(after old: GatewayConfiguration) -> any MessageGuard {
        let names = Set(self.virtualDevices.map(\.name))
        let leaving = old.relayedApps.filter { !names.contains($0.key) }
        return PlatformGuard(relayedApps: leaving.merging(self.relayedApps) { $1 })
    }

    /// Which apps each virtual device offers that stands for another and does not offer all.
    private var relayedApps: [String: Set<String>] {
        var relayedApps: [String: Set<String>] = [:]
        for device in self.virtualDevices {
            guard case .device = device.target, let apps = device.apps else { continue }
            relayedApps[device.name] = Set(apps.map(\.id))
        }
        return relayedApps
    }

    /// The names of the virtual devices that a list of names and wildcards stands for.
    private func virtualDevices(named names: [Glob]) -> Set<String> {
        Set(self.virtualDevices.map(\.name).filter { name in names.contains { $0.matches(name) } })
    }
}
