public import CastWire

/// What the admin listener can have done; the app wires it to the gateway.
public struct ControlActions: Sendable {
    /// Reads the configuration anew and puts it in force; only says what that would change, when it is a dry run.
    public let reload: @Sendable (_ isDryRun: Bool) async -> ControlAnswer
    /// Whether the gateway's event loops turn.
    public let liveness: @Sendable () async -> ControlAnswer
    /// Whether senders can use the gateway, with the single checks when they are asked for.
    public let readiness: @Sendable (_ isVerbose: Bool) -> ControlAnswer
    /// Which Castway this is.
    public let version: @Sendable () -> ControlAnswer
    /// The configuration in force, secrets redacted.
    public let effectiveConfiguration: @Sendable () -> ControlAnswer
    /// What is done with sessions of the gateway's own.
    public let sessions: SessionActions
    /// What there is to know of plugins, and to be done with them.
    public let plugins: PluginActions
    /// Which handlers there are, and switching them on and off.
    public let handlers: HandlerActions
    /// What there is to know of virtual devices, and to be done with them; nil answers 404.
    public var virtualDevices: VirtualDeviceActions?

    /// Collects the actions.
    public init(
        reload: @escaping @Sendable (_ isDryRun: Bool) async -> ControlAnswer,
        liveness: @escaping @Sendable () async -> ControlAnswer,
        readiness: @escaping @Sendable (_ isVerbose: Bool) -> ControlAnswer,
        version: @escaping @Sendable () -> ControlAnswer,
        effectiveConfiguration: @escaping @Sendable () -> ControlAnswer, sessions: SessionActions,
        plugins: PluginActions, handlers: HandlerActions
    ) {
        self.reload = reload
        self.liveness = liveness
        self.readiness = readiness
        self.version = version
        self.effectiveConfiguration = effectiveConfiguration
        self.sessions = sessions
        self.plugins = plugins
        self.handlers = handlers
    }
}

/// What the admin listener can have done with handlers; the app wires it to the gateway.
public struct HandlerActions: Sendable {
    /// What can be asked of a handler.
    public enum Command: String, Sendable, CaseIterable {
        /// Ask it about messages.
        case enable
        /// Do not ask it any more.
        case disable
        /// Do what the configuration says.
        case reset
    }

    /// All handlers, in the order in which they are asked.
    public let list: @Sendable () async -> ControlAnswer
    /// Switches a handler; whether that outlives the gateway.
    public let command: @Sendable (_ name: String, _ command: Command, _ isKept: Bool) async -> ControlAnswer

    /// Collects the actions.
    public init(
        list: @escaping @Sendable () async -> ControlAnswer,
        command: @escaping @Sendable (_ name: String, _ command: Command, _ isKept: Bool) async -> ControlAnswer
    ) {
        self.list = list
        self.command = command
    }
}

/// What the admin listener can have done with plugins; the app wires it to the gateway.
public struct PluginActions: Sendable {
    /// What can be asked of a plugin.
    public enum Command: String, Sendable, CaseIterable {
        /// Run it anew.
        case restart
        /// Run it, if it was switched off.
        case enable
        /// Do not run it any more, until it is switched on or the gateway starts again.
        case disable
    }

    /// All plugins in short.
    public let list: @Sendable () async -> ControlAnswer
    /// One plugin with all that is known of it.
    public let inspect: @Sendable (_ name: String) async -> ControlAnswer
    /// Has something done with a plugin.
    public let command: @Sendable (_ name: String, _ command: Command) async -> ControlAnswer
    /// What a plugin and the gateway say to each other from now on, a JSON object a line; nil for an unknown plugin or one
    /// that does not run.
    public let trace: @Sendable (_ name: String) -> AsyncStream<String>?

    /// Collects the actions.
    public init(
        list: @escaping @Sendable () async -> ControlAnswer,
        inspect: @escaping @Sendable (_ name: String) async -> ControlAnswer,
        command: @escaping @Sendable (_ name: String, _ command: Command) async -> ControlAnswer,
        trace: @escaping @Sendable (_ name: String) -> AsyncStream<String>?
    ) {
        self.list = list
        self.inspect = inspect
        self.command = command
        self.trace = trace
    }
}

/// What the admin listener can have done with sessions of the gateway's own; the app wires it to the gateway.
public struct SessionActions: Sendable {
    /// All sessions.
    public let list: @Sendable () async -> ControlAnswer
    /// Starts a session with an app on a device, and answers when the app can be spoken to; nil stands for the app that
    /// the configuration names.
    public let start: @Sendable (_ device: String, _ app: AppID?) async -> ControlAnswer
    /// Ends the session of this number; whether its app is stopped, nil as the configuration says.
    public let end: @Sendable (_ number: Int, _ isStop: Bool?) async -> ControlAnswer

    /// Collects the actions.
    public init(
        list: @escaping @Sendable () async -> ControlAnswer,
        start: @escaping @Sendable (_ device: String, _ app: AppID?) async -> ControlAnswer,
        end: @escaping @Sendable (_ number: Int, _ isStop: Bool?) async -> ControlAnswer
    ) {
        self.list = list
        self.start = start
        self.end = end
    }
}
