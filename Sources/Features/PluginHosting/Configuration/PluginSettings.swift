internal import GatewayConfig
package import GatewayCore

/// The settings that `plugins.defaults` has for every plugin, and an instance for itself.
package struct PluginSettings: Sendable, Hashable {
    /// The time a filter may take for a message.
    package var filterDeadline = Duration.milliseconds(250)
    /// The time an owner may take for a message.
    package var handleDeadline = Duration.seconds(1)
    /// The policy for failures of the plugin.
    package var onFailure = FailurePolicy.open
    /// The rules of restarts.
    package var restart = PluginRestart()
    /// The time it may take to be ready.
    package var startTimeout = Duration.seconds(10)
    /// The time it may take to end what it is doing.
    package var drain = Duration.seconds(5)
    package var resources = PluginResources()
    package var sandbox = PluginSandbox.basic

    package init() {}

    /// The keys of `plugins.defaults`, and with the same meaning of every instance.
    static let keys: [ConfigKey<PluginSettings>] = [
        .section(
            "deadline", "How long a plugin may take for one message",
            [
                ConfigKey("filter", \.filterDeadline, .deadline, "How long a filter may take"),
                ConfigKey("handle", \.handleDeadline, .deadline, "How long an owner may take"),
            ]),
        ConfigKey(
            "on_failure", \.onFailure, .word,
            "What a missed deadline or a plugin that fails or does not run means: `open` goes on as if it had passed, "
                + "`closed` rejects the message"),
        .section(
            "restart", "When a plugin that crashed is started again", PluginRestart.keys.embedded(in: \Self.restart)),
        ConfigKey(
            "start_timeout", \.startTimeout, .duration(.milliseconds(100) ... .seconds(600)),
            "How long a plugin may take to be ready"),
        ConfigKey(
            "drain", \.drain, .duration(.zero ... .seconds(600)),
            "How long a plugin may take to end what it is doing before it is stopped"),
        .section(
            "resources", "How much of the machine a plugin may use",
            PluginResources.keys.embedded(in: \Self.resources)),
        ConfigKey(
            "sandbox", \.sandbox, .word,
            "`none`; `basic`: the limits of `resources`, no privileges, no network beyond the grant and no hold on other "
                + "processes; `strict`: also no files but its own folder, its state and the system's libraries"),
    ]
}

/// The rules by which a plugin that ended is started again.
package struct PluginRestart: Sendable, Hashable {
    /// The ends after which it is started again.
    package enum Policy: String, Sendable, Hashable, CaseIterable {
        case onFailure = "on_failure"
        /// After an end with status 0 too.
        case always
    }

    /// The ends after which it is started again.
    package var policy = Policy.onFailure
    /// The first pause; each further one is twice as long.
    package var initial = Duration.seconds(1)
    /// The longest pause.
    package var maximum = Duration.seconds(60)
    /// After so long without a crash the pauses begin anew.
    package var healthyAfter = Duration.seconds(600)

    package init() {}

    fileprivate static let keys: [ConfigKey<PluginRestart>] = [
        ConfigKey("policy", \.policy, .word, "Whether an end with status 0 is one too"),
        ConfigKey("initial", \.initial, .duration(.milliseconds(10) ... .seconds(3600)), "The first pause"),
        ConfigKey("max", \.maximum, .duration(.milliseconds(10) ... .seconds(3600)), "The longest pause"),
        ConfigKey(
            "healthy_after", \.healthyAfter, .duration(.seconds(1) ... .seconds(86_400)),
            "After so long without a crash the pauses begin anew"),
    ]
}

/// The limits of a plugin's process. 0 is no limit.
package struct PluginResources: Sendable, Hashable {
    /// Private memory, in bytes.
    package var memory = 128 << 20
    /// Open descriptors.
    package var openFiles = 64
    /// Processes and threads, its own included.
    package var processes = 32
    /// The size of its state folder, and of one file that it writes, in bytes.
    package var state = 64 << 20
    /// Files and folders in its state folder.
    package var stateFiles = 10_000

    package init() {}

    fileprivate static let keys: [ConfigKey<PluginResources>] = [
        ConfigKey("memory", \.memory, .size(), "Private memory of each of its processes; 0B is no limit"),
        ConfigKey("open_files", \.openFiles, .integer(0...1_048_576), "Open descriptors; 0 is no limit"),
        ConfigKey("processes", \.processes, .integer(0...32_768), "Processes and threads together; 0 is no limit"),
        ConfigKey(
            "state", \.state, .size(),
            "What its state folder may hold, and one file that it writes; 0B is no limit. A plugin beyond it is "
                + "stopped"),
        ConfigKey(
            "state_files", \.stateFiles, .integer(0...1_000_000), "Files and folders in its state folder; 0 is no limit"
        ),
    ]
}

/// The confinement of a plugin's process.
package enum PluginSandbox: String, Sendable, Hashable, CaseIterable {
    /// No confinement.
    case none
    /// By limits on resources, without privileges, and by what system calls reach beyond it.
    case basic
    /// Also confines the files that it reaches.
    case strict
}

extension ConfigType where Value == Duration {
    /// The time a handler may take for a message.
    static var deadline: ConfigType { .duration(.milliseconds(1) ... .seconds(10)) }
}
