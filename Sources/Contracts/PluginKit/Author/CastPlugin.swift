public import CastWire

/// A plugin. Conform a type, mark it with `@main`, and the program is one:
///
/// ```swift
/// @main struct Echo: CastPlugin {
///     init(_ gateway: PluginGateway) {}
///
///     func handle(_ message: PluginMessage) async throws -> Verdict { .reply(message.payload) }
/// }
/// ```
///
/// Messages of one flow (one sender talking to one app) come one at a time and in order; flows run beside each other, and
/// so does everything else. State that they share stands in an actor or behind a lock.
///
/// What a handler does until it first waits happens on the thread that reads, so a long calculation belongs into a task
/// of its own.
public protocol CastPlugin: Sendable {
    /// Takes what the gateway gives, above all the configuration. Nothing is sent or stored yet.
    /// - Throws: ``ConfigurationProblem``, or ``PluginRPCError/configurationInvalid(_:)`` with several, when the
    ///   configuration makes no sense.
    init(_ gateway: PluginGateway) async throws

    /// The messages that the plugin wants of those that are granted; nil for all of them. Deadline and failure policy are the
    /// operator's, so those of a claim do not count here.
    static var claims: [Claim]? { get }

    /// How many messages it takes at once; nil leaves it to the gateway.
    static var maximumInFlight: Int? { get }

    /// Takes devices and sessions as they stand. Messages come after this.
    func start(_ snapshot: PluginSnapshot) async throws

    /// Owns a message in a namespace that was granted for handling.
    /// - Throws: ``Rejection`` to refuse the message. Any other error: the message is treated by the claim's
    ///   `on_failure`.
    func handle(_ message: PluginMessage) async throws -> Verdict

    /// Judges a message on its way: ``Verdict/pass``, rewrite, reply, reject, drop.
    /// - Throws: as ``handle(_:)``.
    func filter(_ message: PluginMessage) async throws -> Verdict

    /// Gets a copy of a message.
    /// - Parameter dropped: how many copies before this one were left out, since too many waited.
    func observe(_ message: PluginMessage, dropped: Int) async throws

    /// Does one of the operations that the manifest declares, for a caller of the gateway. Calls run beside each other and beside
    /// messages. The task is cancelled when the outcome is not awaited any more.
    /// - Returns: what the manifest says that the operation answers.
    /// - Throws: ``OperationFailure`` with a code that the manifest declares. Any other error: the caller learns that the plugin
    ///   failed.
    func operate(_ call: OperationCall) async throws -> JSONObject

    /// Something else happened: `session.started`, `session.ended`, …
    func event(_ event: PluginEvent) async throws

    /// A new configuration stands in `gateway.yaml`. Without this method the gateway starts a new process.
    /// - Throws: as ``init(_:)``; the old configuration stays.
    func reload(_ configuration: PluginConfiguration) async throws -> ReloadOutcome

    /// The plugin's health; asked every few seconds.
    func health() async -> PluginHealth

    /// No message comes any more, and all that came are decided; what else is being done should be ended.
    func drain() async
}

extension CastPlugin {
    /// All of the grant.
    public static var claims: [Claim]? { nil }
    /// As many as the gateway offers.
    public static var maximumInFlight: Int? { nil }
    /// Nothing to do.
    public func start(_ snapshot: PluginSnapshot) async throws {}
    /// No opinion.
    public func handle(_ message: PluginMessage) async throws -> Verdict { .pass }
    /// No opinion.
    public func filter(_ message: PluginMessage) async throws -> Verdict { .pass }
    /// Nothing to do.
    public func observe(_ message: PluginMessage, dropped: Int) async throws {}
    /// It has no operations.
    public func operate(_ call: OperationCall) async throws -> JSONObject {
        throw PluginRPCError(.methodNotFound, "there is no operation '\(call.operation)'")
    }
    /// Nothing to do.
    public func event(_ event: PluginEvent) async throws {}
    /// Takes a new process.
    public func reload(_ configuration: PluginConfiguration) async throws -> ReloadOutcome { .replace }
    /// All is well.
    public func health() async -> PluginHealth { .ok }
    /// Nothing to do.
    public func drain() async {}
}
