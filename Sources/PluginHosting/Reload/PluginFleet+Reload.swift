import GatewayCore
import PluginKit

extension PluginFleet {
    /// Makes everything ready for another configuration, while nothing that runs changes but for plugins that take their new
    /// configuration in place.
    /// - Throws: ``PluginConfigurationRefused`` when a plugin cannot make sense of its configuration, ``PluginNotReady`` when a new
    ///   process does not come up, ``GatewayError`` when a module would have to be unloaded. Nothing is left behind then.
    public func prepare(_ configuration: PluginsConfiguration) async throws -> PluginsUpdate {
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
        // Nobody knows when somebody connects.
        guard instance.isEnabled, instance.kind != .socket else {
            return PluginUpdate(service: service, old: instance, new: instance, way: .add(nil))
        }
        do {
            let life = try await service.tryOut(instance)
            return PluginUpdate(service: service, old: instance, new: instance, way: .add(life))
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
        guard old != new else { return update(.keep) }
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
        guard old.config != new.config || old.grant != new.grant else { return update(.inPlace(wasTold: false)) }
        switch try await service.tell(new) {
        case .applied: return update(.inPlace(wasTold: true))
        case .replace where new.manifest.isSingleInstance || new.kind != .process: return update(.restart)
        case .replace: return update(.replace(try await service.tryOut(new)))
        }
    }
}

extension PluginInstance {
    /// Whether the difference lies in what only a new process can have.
    func takesOtherProcess(than other: PluginInstance) -> Bool {
        self.plugin != other.plugin || self.folder != other.folder || self.manifest != other.manifest
            || self.kind != other.kind || self.network != other.network || self.environment != other.environment
            || self.readable != other.readable || self.user != other.user
            || self.settings.resources != other.settings.resources || self.settings.sandbox != other.settings.sandbox
    }
}
