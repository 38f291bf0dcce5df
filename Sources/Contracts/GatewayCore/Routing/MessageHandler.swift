public import CastWire

/// Decides about the messages of one or more namespaces: a built-in handler, a plugin, a bridge.
///
/// ``handle(_:in:)`` runs on the event loop of the message's connection and never blocks. What must wait takes a
/// ``Deferral`` from its context and returns ``Verdict/deferred``; code that is async anyway conforms to
/// ``AsyncMessageHandler`` instead, which does exactly that.
public protocol MessageHandler: Sendable {
    /// A stable name for logs, `gateway.yaml` and `castway route explain`, such as `media`.
    var name: String { get }

    /// The messages that the handler is asked about. Read once, when the handler is registered.
    var claims: [Claim] { get }

    /// Decides about one message. Return when the message is accepted, never when a device has answered.
    ///
    /// Messages of one flow (connection, source, destination) arrive in order, one at a time; different flows may
    /// arrive on different event loops at once.
    /// - Throws: anything; the claim's failure policy then decides, and only this message is affected.
    func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict

    /// Whether the handler must see no message but those that its claims want, as is so with plugins, whose claims were granted.
    /// A filter may hand other messages over to any other handler; see ``Disposition/handOver(_:_:)``.
    var isConfinedToClaims: Bool { get }

    /// Why the handler answers nothing now, for `castway route explain`: such as a plugin that does not run. Nil while it does.
    var obstacle: String? { get }

    /// What the handler would go by for messages of a namespace, for `castway route explain`: such as its rules, by name.
    /// - Parameters:
    ///   - type: a message type; nil for every type.
    ///   - leg: on which the messages are.
    /// - Returns: a name and what it stands for, a line each; nothing unless implemented.
    func explanation(
        of namespace: Namespace, type: String?, device: String, leg: MessageLeg
    ) -> [(name: String, text: String)]
}

extension MessageHandler {
    /// A handler of the gateway's own may see every message.
    public var isConfinedToClaims: Bool { false }

    /// A handler of the gateway's own always answers.
    public var obstacle: String? { nil }

    /// Nothing to add.
    public func explanation(
        of namespace: Namespace, type: String?, device: String, leg: MessageLeg
    ) -> [(name: String, text: String)] {
        []
    }
}
