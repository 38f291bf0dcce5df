public import CastWire

/// What becomes of a message.
public enum Disposition: Hashable, Sendable {
    /// No opinion; the next candidate, or `routing.default`, decides.
    case pass
    /// Goes on with this message of the same namespace in its place (filters only).
    case rewrite(CastMessage)
    /// Goes to the peer, changed or as it came, and nobody else is asked (handlers only).
    case forward(CastMessage?)
    /// Is answered with this payload, ends swapped; the peer never sees it, and no handler behind is asked.
    case reply(CastMessage.Payload)
    /// Is taken; whatever there is to say stands in the effects (handlers only).
    case handled
    /// Is refused, and its sender told if it waits for an answer.
    case reject(Rejection)
    /// Is swallowed, and counted under this reason.
    case drop(String)
    /// The verdict comes later through the ``Deferral`` that the handler took from its context.
    case deferred
}
