public import CastWire

/// What must hold of messages whatever handlers there are: the last word of the gateway's own, which no switch reaches.
///
/// The router asks it between the filters and the owners, and again for whatever a handler has changed or made: no message gets
/// to the device or to senders that it has not judged as it stands. It is no handler: it is in no list, has no deadline, and
/// nothing suspends it. A message that is refused was asked about by the filters alone.
public protocol MessageGuard: Sendable {
    /// Whether messages of a namespace in a direction are judged. Others cost nothing.
    func concerns(_ namespace: Namespace, _ direction: MessageDirection) -> Bool

    /// Judges a message as it would go on; called on the message's event loop, for what the guard is concerned with.
    ///
    /// What it lets go on, also as it changed it, it lets go on when asked again.
    func judge(_ message: RoutedMessage) -> GuardDecision

    /// What it goes by for messages of a namespace, for `castway route explain`: a line each.
    func explanation(of namespace: Namespace, _ direction: MessageDirection, device: String) -> [String]
}

/// What a guard says of one message.
public enum GuardDecision: Hashable, Sendable {
    /// It goes on as it is.
    case pass
    /// It goes on with this payload.
    case change(CastMessage.Payload)
    /// It is answered with this payload, and goes no further.
    case answer(CastMessage.Payload)
    /// It is refused; its sender is told if it waits for an answer.
    case reject(Rejection)
    /// It is discarded without an answer, counted under this reason.
    case drop(String)
}
