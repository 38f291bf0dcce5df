import BuiltInReceiver
import GatewayConfig
public import GatewayCore
import NamespaceHandlers
import PluginHosting
import VirtualDevices

extension GatewayConfiguration {
    /// Which handlers are asked in which order, as `handlers` says.
    public var handlerPlan: HandlerPlan {
        self.handlers.plan(channels: self.channels, plugins: self.plugins.instances.map(\.name)) { devices in
            self.virtualDevices(named: devices)
        }
    }

    /// What holds of messages whichever handlers are asked: `apps` of the virtual devices that stand for others.
    public var messageGuard: any MessageGuard { PlatformGuard(relayedApps: self.relayedApps) }

    /// The same for a reload: virtual devices that go serve their senders until they have stopped.
    func messageGuard(after old: GatewayConfiguration) -> any MessageGuard {
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
