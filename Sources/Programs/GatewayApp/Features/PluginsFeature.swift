import CastDiscovery
import CastIdentity
import CastWire
import DeviceHosting
import DeviceSessions
import FeatureContract
import GatewayCore
import GatewayMetrics
import GatewayOperations
import GatewaySettings
import Logging
import NIOCore
import PluginHosting
import PluginKit
import VirtualDevices

/// The plugins: programs and modules of others that handle messages.
final class PluginsFeature: OperatingFeature {
    let name = "plugins"
    /// The plugins that run.
    let fleet: PluginFleet
    /// The operations that they offer.
    let added = AddedOperations()
    private let context: GatewayContext
    private let running: RunningDevices
    private let queues: QueueProviderDispatcher

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
        queues: QueueProviderDispatcher, discovery: DeviceDiscovery, launcher: String?, timings: PluginTimings
    ) {
        let configuration = context.configuration.current
        self.context = context
        self.running = running
        self.queues = queues
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

    func services(among features: [any GatewayFeature], serving operations: OperationCatalogue) -> [StagedService] {
        // Before a sender can connect every plugin is ready, or has had its chance.
        self.fleet.context.operations.attach(operations)
        self.fleet.whenTried { [lifecycle = self.context.lifecycle] in lifecycle.reach(.pluginsTried) }
        return [
            StagedService(.alone, self.fleet),
            StagedService(.alone, QueueAnswers(desk: self.queues, fleet: self.fleet)),
        ]
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

    func metrics(for scrape: MetricsScrape) async -> [MetricFamily] {
        let services = self.fleet.current
        guard !services.isEmpty else { return [] }
        let plugins = await withTaskGroup(of: PluginStatus?.self) { group in
            for service in services { group.addTask { await service.status(within: MetricsScrape.patience) } }
            var statuses: [PluginStatus] = []
            for await status in group { if let status { statuses.append(status) } }
            return statuses.sorted { $0.instance.name < $1.instance.name }
        }
        scrape.missed(services.count - plugins.count)
        let suspended = scrape.counted.values.reduce(into: [:]) { $0.merge($1.suspended, uniquingKeysWith: +) }
        let open = await self.openBreakers(within: MetricsScrape.patience).mapValues(\.count)
        return PluginMetrics(plugins: plugins, suspended: suspended, openBreakers: open).families
    }

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

    static let offered: [Offer<PluginsFeature>] = [
        Offer { ListPlugins(fleet: $0.fleet) },
        Offer { feature in
            GetPlugin(fleet: feature.fleet) { await feature.openBreakers(within: .seconds(1))[$0] ?? [] }
        },
        Offer { RestartPlugin(fleet: $0.fleet) },
        Offer { EnablePlugin(fleet: $0.fleet) },
        Offer { DisablePlugin(fleet: $0.fleet) },
    ]

    /// What a plugin and the gateway say to each other from now on; nil for one that does not run.
    func trace(_ name: String) -> AsyncStream<String>? { self.fleet[name]?.trace() }

    /// The virtual devices whose router does not ask a handler for a while, by the handler's name.
    private func openBreakers(within limit: Duration) async -> [String: [String]] {
        let pulse = EventLoopProbe(eventLoops: Array(self.context.eventLoops.makeIterator()), devices: self.running)
        let answers = await pulse.take(within: limit)
        return answers.devices.reduce(into: [:]) { open, device in
            for handler in device.suspendedHandlers { open[handler, default: []].append(device.name) }
        }
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
