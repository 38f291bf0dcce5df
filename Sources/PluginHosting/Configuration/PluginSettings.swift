internal import GatewayConfig
public import GatewayCore

/// What `plugins.defaults` says of every plugin, and an instance of itself.
public struct PluginSettings: Sendable, Hashable {
    /// How long a filter may take for a message.
    public var filterDeadline = Duration.milliseconds(250)
    /// How long an owner may take for a message.
    public var handleDeadline = Duration.seconds(1)
    /// What happens to a message when the plugin fails.
    public var onFailure = FailurePolicy.open
    /// When it is started again.
    public var restart = PluginRestart()
    /// How long it may take to be ready.
    public var startTimeout = Duration.seconds(10)
    /// How long it may take to end what it is doing.
    public var drain = Duration.seconds(5)
    /// How much of the machine it may use.
    public var resources = PluginResources()
    /// How it is shut in.
    public var sandbox = PluginSandbox.basic

    /// Makes settings with the defaults of `gateway.yaml`.
    public init() {}

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

/// When a plugin that ended is started again.
public struct PluginRestart: Sendable, Hashable {
    /// After which ends it is.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// After a crash.
        case onFailure = "on_failure"
        /// After an end with status 0 too.
        case always
    }

    /// After which ends.
    public var policy = Policy.onFailure
    /// The first pause; each further one is twice as long.
    public var initial = Duration.seconds(1)
    /// The longest pause.
    public var maximum = Duration.seconds(60)
    /// After so long without a crash the pauses begin anew.
    public var healthyAfter = Duration.seconds(600)

    /// Makes settings with the defaults of `gateway.yaml`.
    public init() {}

    fileprivate static let keys: [ConfigKey<PluginRestart>] = [
        ConfigKey("policy", \.policy, .word, "Whether an end with status 0 is one too"),
        ConfigKey("initial", \.initial, .duration(.milliseconds(10) ... .seconds(3600)), "The first pause"),
        ConfigKey("max", \.maximum, .duration(.milliseconds(10) ... .seconds(3600)), "The longest pause"),
        ConfigKey(
            "healthy_after", \.healthyAfter, .duration(.seconds(1) ... .seconds(86_400)),
            "After so long without a crash the pauses begin anew"),
    ]
}

/// How much of the machine a plugin's process may use. 0 is no limit.
public struct PluginResources: Sendable, Hashable {
    /// Private memory, in bytes.
    public var memory = 128 << 20
    /// Open descriptors.
    public var openFiles = 64
    /// Processes and threads, its own included.
    public var processes = 32
    /// What its state folder holds, and one file that it writes, in bytes.
    public var state = 64 << 20
    /// Files and folders in its state folder.
    public var stateFiles = 10_000

    /// Makes limits with the defaults of `gateway.yaml`.
    public init() {}

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

/// How a plugin's process is shut in.
public enum PluginSandbox: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case none
    /// By limits on resources, without privileges, and by what system calls reach beyond it.
    case basic
    /// Also by what files it reaches.
    case strict
}

extension ConfigType where Value == Duration {
    /// How long a handler may take for a message.
    static var deadline: ConfigType { .duration(.milliseconds(1) ... .seconds(10)) }
}
