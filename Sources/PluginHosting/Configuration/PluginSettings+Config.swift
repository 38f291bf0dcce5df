internal import GatewayConfig
internal import GatewayCore

extension PluginSettings {
    private static let deadline = ConfigSchema.duration(.milliseconds(1) ... .seconds(10))

    /// The keys of `plugins.defaults`. An instance has the same ones without defaults.
    static func fields(hasDefaults: Bool) -> [ConfigField] {
        func presence(_ text: String) -> ConfigField.Presence { hasDefaults ? .defaultsTo(text) : .optional }
        return [
            ConfigField(
                "deadline",
                .object([
                    ConfigField("filter", Self.deadline, presence("250ms"), "How long a filter may take"),
                    ConfigField("handle", Self.deadline, presence("1s"), "How long an owner may take"),
                ]), presence("{}"), "How long a plugin may take for one message"),
            ConfigField(
                "on_failure", .word(FailurePolicy.self), presence("open"),
                "What a missed deadline or a plugin that fails or does not run means: `open` goes on as if it had passed, "
                    + "`closed` rejects the message"),
            ConfigField(
                "restart",
                .object([
                    ConfigField(
                        "policy", .word(PluginRestart.Policy.self), presence("on_failure"),
                        "Whether an end with status 0 is one too"),
                    ConfigField(
                        "initial", .duration(.milliseconds(10) ... .seconds(3600)), presence("1s"), "The first pause"),
                    ConfigField(
                        "max", .duration(.milliseconds(10) ... .seconds(3600)), presence("60s"), "The longest pause"),
                    ConfigField(
                        "healthy_after", .duration(.seconds(1) ... .seconds(86_400)), presence("10m"),
                        "After so long without a crash the pauses begin anew"),
                ]), presence("{}"), "When a plugin that crashed is started again"),
            ConfigField(
                "start_timeout", .duration(.milliseconds(100) ... .seconds(600)), presence("10s"),
                "How long a plugin may take to be ready"),
            ConfigField(
                "drain", .duration(.zero ... .seconds(600)), presence("5s"),
                "How long a plugin may take to end what it is doing before it is stopped"),
            ConfigField(
                "resources",
                .object([
                    ConfigField(
                        "memory", .size(), presence("128MiB"), "Private memory of each of its processes; 0B is no limit"
                    ),
                    ConfigField(
                        "open_files", .integer(0...1_048_576), presence("64"), "Open descriptors; 0 is no limit"),
                    ConfigField(
                        "processes", .integer(0...32_768), presence("32"),
                        "Processes and threads together; 0 is no limit"),
                    ConfigField(
                        "state", .size(), presence("64MiB"),
                        "What its state folder may hold, and one file that it writes; 0B is no limit. A plugin beyond it is "
                            + "stopped"),
                    ConfigField(
                        "state_files", .integer(0...1_000_000), presence("10000"),
                        "Files and folders in its state folder; 0 is no limit"),
                ]), presence("{}"), "How much of the machine a plugin may use"),
            ConfigField(
                "sandbox", .word(PluginSandbox.self), presence("basic"),
                "`none`; `basic`: the limits of `resources`, no privileges, no network beyond the grant and no hold on other "
                    + "processes; `strict`: also no files but its own folder, its state and the system's libraries"),
        ]
    }

    /// Reads the typed values of a section; those that are not written are taken from others.
    init(reading section: ConfigSection, over others: PluginSettings = PluginSettings()) {
        let deadline = section.section("deadline")
        let restart = section.section("restart")
        let resources = section.section("resources")
        self.init(
            filterDeadline: deadline.optionalDuration("filter") ?? others.filterDeadline,
            handleDeadline: deadline.optionalDuration("handle") ?? others.handleDeadline,
            onFailure: section.word("on_failure", as: FailurePolicy.self, otherwise: others.onFailure),
            restart: PluginRestart(
                policy: restart.word("policy", as: PluginRestart.Policy.self, otherwise: others.restart.policy),
                initial: restart.optionalDuration("initial") ?? others.restart.initial,
                maximum: restart.optionalDuration("max") ?? others.restart.maximum,
                healthyAfter: restart.optionalDuration("healthy_after") ?? others.restart.healthyAfter),
            startTimeout: section.optionalDuration("start_timeout") ?? others.startTimeout,
            drain: section.optionalDuration("drain") ?? others.drain,
            resources: PluginResources(
                memory: resources.has("memory") ? resources.size("memory") : others.resources.memory,
                openFiles: resources.optionalInteger("open_files") ?? others.resources.openFiles,
                processes: resources.optionalInteger("processes") ?? others.resources.processes,
                state: resources.has("state") ? resources.size("state") : others.resources.state,
                stateFiles: resources.optionalInteger("state_files") ?? others.resources.stateFiles),
            sandbox: section.word("sandbox", as: PluginSandbox.self, otherwise: others.sandbox))
    }
}
