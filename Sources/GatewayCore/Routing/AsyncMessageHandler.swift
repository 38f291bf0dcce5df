/// A message handler in async code: bridges, plugins, and most handlers that people write.
///
/// Register it through ``AsyncHandlerAdapter``, which gives each message its own task, one at a time per flow,
/// and cancels the task when the claim's deadline passes.
public protocol AsyncMessageHandler: Sendable {
    /// A stable name for logs, `gateway.yaml` and `castway route explain`.
    var name: String { get }

    /// What to be asked about. Read once, when the handler is registered.
    var claims: [Claim] { get }

    /// Decides about one message; may take until the claim's deadline.
    ///
    /// The next message of the same flow is not asked about before this returns; other flows run beside it.
    /// - Returns: any verdict but ``Verdict/deferred``.
    /// - Throws: anything; the claim's failure policy then decides.
    func handle(_ message: RoutedMessage) async throws -> Verdict
}
