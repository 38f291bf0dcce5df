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

    /// Collects the actions.
    public init(
        reload: @escaping @Sendable (_ isDryRun: Bool) async -> ControlAnswer,
        liveness: @escaping @Sendable () async -> ControlAnswer,
        readiness: @escaping @Sendable (_ isVerbose: Bool) -> ControlAnswer,
        version: @escaping @Sendable () -> ControlAnswer,
        effectiveConfiguration: @escaping @Sendable () -> ControlAnswer, sessions: SessionActions,
        plugins: PluginActions
    ) {
        self.reload = reload
        self.liveness = liveness
        self.readiness = readiness
        self.version = version
        self.effectiveConfiguration = effectiveConfiguration
        self.sessions = sessions
        self.plugins = plugins
    }
}
