import GatewayConfig
import PluginHosting

extension ReloadPlan {
    mutating func comparePlugins(_ old: PluginsConfiguration, _ new: PluginsConfiguration) {
        self.compare("plugins.directory", .plugin, \.directory, old, new)
        self.compare("plugins.allow_in_process", .plugin, \.allowsInProcess, old, new)
        self.compareSettings("plugins.defaults", old.defaults, new.defaults)
        self.compareLists("plugins.instances", old.instances, new.instances, name: \.name, reload: .plugin) {
            plan, path, before, after in
            plan.compare("\(path).plugin", .plugin, \.plugin, before, after)
            if before.plugin == after.plugin, before.manifest != after.manifest {
                plan.compare("\(path).plugin", .plugin, \.manifest, before, after)
                plan.note(
                    "\(path).plugin",
                    before.manifest.version == after.manifest.version
                        ? "another manifest" : "version \(before.manifest.version) becomes \(after.manifest.version)")
            }
            plan.compare("\(path).kind", .plugin, \.kind, before, after)
            plan.compare("\(path).enabled", .plugin, \.isEnabled, before, after)
            plan.compare("\(path).required", .plugin, \.isRequired, before, after)
            plan.compare("\(path).grant.as", .plugin, \.isGrantedAsManifest, before, after)
            plan.compare("\(path).grant.namespaces", .plugin, \.namespaces, before, after)
            plan.compare("\(path).grant.send", .plugin, \.send, before, after)
            plan.compare("\(path).grant.events", .plugin, \.events, before, after)
            plan.compare("\(path).grant.network", .plugin, \.network, before, after)
            plan.compare("\(path).grant.storage", .plugin, \.storage, before, after)
            plan.compare("\(path).config", .plugin, \.config, before, after)
            plan.compare("\(path).env", .plugin, \.environment, before, after)
            plan.compare("\(path).readable", .plugin, \.readable, before, after)
            plan.compare("\(path).user", .plugin, \.user, before, after)
            plan.compareSettings(path, before.settings, after.settings)
        }
        if old.instances.map(\.name) != new.instances.map(\.name),
            Set(old.instances.map(\.name)) == Set(new.instances.map(\.name))
        {
            self.compare("plugins.instances", .plugin, \.instances, old, new)
            self.note("plugins.instances", "another order")
        }
    }

    private mutating func compareSettings(_ path: String, _ old: PluginSettings, _ new: PluginSettings) {
        self.compare("\(path).deadline.filter", .plugin, \.filterDeadline, old, new)
        self.compare("\(path).deadline.handle", .plugin, \.handleDeadline, old, new)
        self.compare("\(path).on_failure", .plugin, \.onFailure, old, new)
        self.compare("\(path).restart.policy", .plugin, \.restart.policy, old, new)
        self.compare("\(path).restart.initial", .plugin, \.restart.initial, old, new)
        self.compare("\(path).restart.max", .plugin, \.restart.maximum, old, new)
        self.compare("\(path).restart.healthy_after", .plugin, \.restart.healthyAfter, old, new)
        self.compare("\(path).start_timeout", .plugin, \.startTimeout, old, new)
        self.compare("\(path).drain", .plugin, \.drain, old, new)
        self.compare("\(path).resources.memory", .plugin, \.resources.memory, old, new)
        self.compare("\(path).resources.open_files", .plugin, \.resources.openFiles, old, new)
        self.compare("\(path).resources.processes", .plugin, \.resources.processes, old, new)
        self.compare("\(path).resources.state", .plugin, \.resources.state, old, new)
        self.compare("\(path).resources.state_files", .plugin, \.resources.stateFiles, old, new)
        self.compare("\(path).sandbox", .plugin, \.sandbox, old, new)
    }
}
