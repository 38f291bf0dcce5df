import CastDiscovery
import CastIdentity
import CastWire
import DeviceSessions
import GatewayCore
import GatewayOperations
import Logging
import NIOCore
import PluginHosting
import PluginKit
import VirtualDevices

/// The plugins: programs and modules of others that handle messages.
final class PluginsFeature: GatewayFeature {
    let name = "plugins"
    /// The plugins that run.
    let fleet: PluginFleet
    /// The operations that they offer.
    let added = AddedOperations()
    private let context: GatewayContext
    private let running: RunningDevices

    /// - Parameters:
    ///   - identities: where the database is that plugins keep values in.
    ///   - running: the virtual devices, whose routers ask the plugins.
    ///   - senders: how plugins speak to apps.
    ///   - queues: passes what players ask about their queues to the plugins.
    ///   - discovery: lists the devices that plugins name.
    ///   - launcher: the program that starts plugins; nil for the one that comes with Castway.
    ///   - timings: how long the gateway waits for plugins.
    init(
        _ context: GatewayContext, identities: IdentityStore, running: RunningDevices, senders: any InternalSenders,
        queues: QueueProviderDesk, discovery: DeviceDiscovery, launcher: String?, timings: PluginTimings
    ) {
        let configuration = context.configuration.current
        self.context = context
        self.running = running
        self.fleet = PluginFleet(
            configuration.plugins,
            context: PluginContext(
                gateway: GatewayIdentity(
                    id: configuration.gateway.id, name: configuration.gateway.name, version: context.version),
                registry: context.registry, events: context.events, internalSenders: senders,
                store: Self.makeStore(identities, context.makeLogger("Plugins")),
                stateDirectory: configuration.gateway.stateDirectory, launcher: launcher ?? LauncherPath.found,
                eventLoops: context.eventLoops, makeLogger: context.makeLogger, timings: timings))
        context.events.channels.follow(configuration.plugins.namespaces, for: self.name)
        self.added.replace(with: self.fleet.operations(of: configuration.plugins))
        queues.attach(self.fleet)
        let current = context.configuration
        self.fleet.context.devices.attach { device in
            let (configuration, name) = (current.current, device.name)
            return configuration.discovery.staticDevices.contains { $0.name == name }
                || configuration.virtualDevices.contains { $0.name == name }
                || discovery.devices.contains { $0.takesName(of: device) }
        } onChange: { entries in
            discovery.provide(
                entries.map { entry in
                    StaticEntry(
                        name: entry.device.name,
                        address: DeviceAddress(host: entry.device.address, port: entry.device.port),
                        id: entry.device.id.flatMap { DeviceID($0) }, source: "plugin:\(entry.plugin)")
                })
        }
    }

    /// Where plugins keep values; nil, which is said, when that is not possible.
    private static func makeStore(_ identities: IdentityStore, _ logger: Logger) -> PluginDatabase? {
        do {
            return try PluginDatabase(database: identities.database)
        } catch {
            logger.error("Plugins cannot keep anything", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    var handlers: [any MessageHandler] { self.fleet.handlers }

    func handlers(for configuration: GatewayConfiguration) -> [any MessageHandler] {
        configuration.plugins.silentHandlers
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        // Before a sender can connect every plugin is ready, or has had its chance.
        self.fleet.context.operations.attach(GatewayFeatures.catalogue(of: features, context: self.context))
        self.fleet.whenTried { [lifecycle = self.context.lifecycle] in lifecycle.reach(.pluginsTried) }
        return [StagedService(.alone, self.fleet)]
    }

    // MARK: Readiness

    var obstacle: String? {
        let missing = self.fleet.missing
        return missing.isEmpty ? nil : "required plugins are not ready: \(missing.joined(separator: ", "))"
    }

    var readinessDetails: [(name: String, value: JSONValue)] {
        [("plugins", .object(JSONObject(self.fleet.current.map { ($0.name, .string($0.pluginState.rawValue)) })))]
    }

    var warnings: [GatewayWarning] {
        get async {
            var warnings: [GatewayWarning] = []
            for service in self.fleet.current {
                let status = await service.status()
                let reason = status.reason.map { ": \($0)" } ?? ""
                let name = service.name
                switch status.state {
                case .degraded:
                    warnings.append(GatewayWarning(.pluginDegraded, "'\(name)' reports a fault\(reason)", plugin: name))
                case .crashlooped:
                    warnings.append(
                        GatewayWarning(
                            .pluginLooping, "'\(name)' ends again and again, and is tried at long intervals\(reason)",
                            plugin: name))
                case .starting where status.restartCount > 0:
                    warnings.append(GatewayWarning(.pluginDown, "'\(name)' ended, and is started again", plugin: name))
                case .backoff, .stopped:
                    warnings.append(GatewayWarning(.pluginDown, "'\(name)' does not run\(reason)", plugin: name))
                case .verified, .starting, .ready, .draining, .disabled: break
                }
            }
            return warnings
        }
    }

    func whenReady(_ callback: @escaping @Sendable () -> Void) { self.fleet.whenRequiredAreReady(callback) }

    // MARK: Reload

    func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        let plugins = change.new.plugins
        let update = try await Self.located { try await self.fleet.prepare(plugins) }
        return PreparedChange(
            handlers: { update.handlers }, begin: { try await Self.located { try await update.begin() } },
            commit: {
                self.context.events.channels.follow(plugins.namespaces, for: self.name)
                await update.commit()
                self.added.replace(with: self.fleet.operations(of: plugins))
            }, undo: { await update.undo() })
    }

    /// Says of a plugin's failure which plugin it is, so that its place in the file can be told.
    private static func located<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure as PluginNotReady {
            throw ReloadFailure.pluginNotReady(failure, at: nil)
        } catch let refusal as PluginConfigurationRefused {
            throw ReloadFailure.pluginRefused(refusal)
        }
    }

    // MARK: Operations

    var operations: [any GatewayOperation] {
        [
            ListPlugins(fleet: self.fleet), GetPlugin(fleet: self.fleet) { await self.openBreakers(of: $0) },
            RestartPlugin(fleet: self.fleet), EnablePlugin(fleet: self.fleet), DisablePlugin(fleet: self.fleet),
        ]
    }

    /// What a plugin and the gateway say to each other from now on; nil for one that does not run.
    func trace(_ name: String) -> AsyncStream<String>? { self.fleet[name]?.trace() }

    /// The virtual devices whose router does not ask the plugin for a while.
    private func openBreakers(of name: String) async -> [String] {
        let pulse = LoopPulse(eventLoops: Array(self.context.eventLoops.makeIterator()), devices: self.running)
        let answers = await pulse.take(within: .seconds(1))
        return answers.devices.filter { $0.suspendedHandlers.contains(name) }.map(\.name)
    }
}

extension DiscoveredDevice {
    /// Whether a plugin may not call a device as it wants, since this is another one, which no plugin names, and is called that.
    func takesName(of device: ProvidedDevice) -> Bool { self.isCalled(device.name) && self.isAnother(than: device) }

    /// Whether it is neither the device that a plugin means nor one that a plugin names.
    fileprivate func isAnother(than device: ProvidedDevice) -> Bool {
        self.source == nil && self.id != device.id.flatMap { DeviceID($0)?.text }
            && !self.addresses.contains(DeviceAddress(host: device.address, port: device.port))
    }

    /// Whether people or callers know it by a name.
    fileprivate func isCalled(_ name: String) -> Bool {
        self.friendlyName == name || self.id == name || self.id == DeviceID(name)?.text
    }
}

extension PluginsConfiguration {
    /// The namespaces that plugins handle.
    fileprivate var namespaces: [NamespacePattern] {
        self.silentHandlers.flatMap(\.claims).filter { $0.phase == .handle }.map(\.pattern)
    }
}
