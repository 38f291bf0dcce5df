package import GatewayCore
import NIOCore
import PluginKit
import ServiceLifecycle
import Synchronization

/// The plugins that run. They come and go while it does, and end together when it ends.
package final class PluginFleet: Service, CustomStringConvertible {
    package let context: PluginContext
    private let services: Mutex<[PluginService]>
    private let launches: AsyncStream<PluginService>
    private let input: AsyncStream<PluginService>.Continuation

    /// Prepares the plugins of a configuration; ``run()`` starts them.
    package init(_ configuration: PluginsConfiguration, context: PluginContext) {
        self.context = context
        self.services = Mutex(configuration.instances.map { PluginService(instance: $0, context: context) })
        (self.launches, self.input) = AsyncStream.makeStream(of: PluginService.self)
    }

    package var description: String { "plugins" }

    /// The plugins, in the order of `gateway.yaml`.
    package var current: [PluginService] { self.services.withLock { $0 } }

    package subscript(name: String) -> PluginService? { self.current.first { $0.name == name } }

    /// The handlers to register, in the order of `gateway.yaml`.
    package var handlers: [any MessageHandler] { self.current.map(\.handler) }

    /// The names of the plugins without which the gateway is not ready, and that are not.
    package var missing: [String] { self.current.filter { $0.instance.isRequired && !$0.isReady }.map(\.name) }

    /// Calls back once every plugin is ready or has failed to be for the first time.
    package func whenTried(_ callback: @escaping @Sendable () -> Void) {
        Self.wait(for: self.current, callback) { $0.whenTried($1) }
    }

    /// Calls back once every plugin without which the gateway is not ready has been ready.
    package func whenRequiredAreReady(_ callback: @escaping @Sendable () -> Void) {
        Self.wait(for: self.current.filter { $0.instance.isRequired }, callback) { $0.whenReady($1) }
    }

    /// Calls back once every one of the plugins has.
    private static func wait(
        for services: [PluginService], _ callback: @escaping @Sendable () -> Void,
        _ wait: (PluginService, @escaping @Sendable () -> Void) -> Void
    ) {
        let left = Mutex(services.count)
        guard !services.isEmpty else { return callback() }
        for service in services {
            wait(service) {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { callback() }
            }
        }
    }

    /// Runs one more plugin. It belongs to the fleet only after ``replace(with:)``.
    /// - Throws: ``GatewayError`` with `unavailable` when the fleet ends.
    func launch(_ service: PluginService) throws(GatewayError) {
        if case .terminated = self.input.yield(service) { throw GatewayError(.unavailable, "the gateway stops") }
    }

    /// Says which plugins belong to the fleet from now on.
    func replace(with services: [PluginService]) {
        self.services.withLock { $0 = services }
    }

    /// Runs until graceful shutdown, and until nothing of any plugin is left.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for service in self.current { group.addTask { await self.run(service) } }
            group.addTask {
                try? await gracefulShutdown()
                self.input.finish()
            }
            await self.runAdded()
        }
    }

    /// Runs the plugins that are added, until the fleet ends or the task is cancelled.
    func runAdded() async {
        await withDiscardingTaskGroup { group in
            for await service in self.launches { group.addTask { await self.run(service) } }
        }
    }

    /// Runs a plugin until nothing of it is left, and tells when it is gone from the configuration; before another of its name can take
    /// its place.
    private func run(_ service: PluginService) async {
        await service.run()
        self.services.withLock { services in
            if !services.contains(where: { $0.name == service.name }) { service.publish(.removed) }
        }
    }
}

extension PluginFleet {
    /// Makes everything ready for another configuration, while nothing that runs changes but for plugins that take their new
    /// configuration in place.
    /// - Throws: ``PluginConfigurationRefused`` when a plugin cannot make sense of its configuration, ``PluginNotReady`` when a new
    ///   process does not come up, ``GatewayError`` when a module would have to be unloaded. Nothing is left behind then.
    package func prepare(_ configuration: PluginsConfiguration) async throws -> PluginsUpdate {
        var update = PluginsUpdate(fleet: self)
        let running = Dictionary(self.current.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        do {
            for instance in configuration.instances {
                if let service = running[instance.name] {
                    update.updates.append(try await Self.prepare(instance, in: service))
                } else {
                    update.updates.append(try await self.add(instance))
                }
            }
        } catch {
            await update.undo()
            throw error
        }
        let kept = Set(configuration.instances.map(\.name))
        update.removed = self.current.filter { !kept.contains($0.name) }
        return update
    }

    private func add(_ instance: PluginInstance) async throws -> PluginUpdate {
        let service = PluginService(instance: instance, context: self.context, startsByItself: false)
        try self.launch(service)
        // The other service may connect at any time.
        guard instance.isEnabled, instance.kind != .socket else {
            return PluginUpdate(service: service, old: instance, new: instance, way: .add(nil))
        }
        do {
            let run = try await service.tryOut(instance)
            return PluginUpdate(service: service, old: instance, new: instance, way: .add(run))
        } catch {
            service.finish()
            throw error
        }
    }

    private static func prepare(_ new: PluginInstance, in service: PluginService) async throws -> PluginUpdate {
        let old = service.instance
        func update(_ way: PluginUpdate.Way) -> PluginUpdate {
            PluginUpdate(service: service, old: old, new: new, way: way)
        }
        var same = new
        if old.config.isEquivalent(to: new.config) { same.config = old.config }
        guard old != same else { return update(.keep) }
        if !old.isEnabled, new.isEnabled, new.kind == .process, service.pluginState == .disabled {
            return update(.replace(try await service.tryOut(new)))
        }
        guard new.isEnabled, old.isEnabled, service.isReady else {
            return update(old.isEnabled == new.isEnabled ? .restart : .inPlace(wasTold: false))
        }
        if old.takesOtherProcess(than: new) {
            if old.kind == .module {
                throw GatewayError(
                    .restartRequired,
                    "the plugin '\(new.name)' is a module, which cannot be replaced while the gateway runs")
            }
            if new.manifest.isSingleInstance || old.manifest.isSingleInstance || new.kind != .process {
                return update(.restart)
            }
            return update(.replace(try await service.tryOut(new)))
        }
        guard !old.config.isEquivalent(to: new.config) || old.grant != new.grant else {
            return update(.inPlace(wasTold: false))
        }
        switch try await service.tell(new) {
        case .applied: return update(.inPlace(wasTold: true))
        case .replace where new.manifest.isSingleInstance || new.kind != .process: return update(.restart)
        case .replace: return update(.replace(try await service.tryOut(new)))
        }
    }
}

extension PluginInstance {
    /// True if the difference lies in what only a new process can have.
    func takesOtherProcess(than other: PluginInstance) -> Bool {
        self.plugin != other.plugin || self.folder != other.folder || self.manifest != other.manifest
            || self.kind != other.kind || self.network != other.network || self.environment != other.environment
            || self.readable != other.readable || self.user != other.user
            || self.settings.resources != other.settings.resources || self.settings.sandbox != other.settings.sandbox
    }
}
