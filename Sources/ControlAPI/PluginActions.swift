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
