public import CastWire

/// What a plugin decides about a message, and what else should happen.
public struct PluginVerdict: Hashable, Sendable {
    /// What becomes of the message.
    public enum Disposition: Hashable, Sendable {
        /// No opinion; the next candidate, or `routing.default`, decides.
        case pass
        /// Goes on with this payload (filters only).
        case rewrite(CastMessage.Payload)
        /// Goes to the peer with this payload, or as it came, and nobody else is asked (handlers only).
        case forward(CastMessage.Payload?)
        /// Is answered; the gateway adds the request's id to an object that has none.
        case reply(CastMessage.Payload)
        /// Is taken; what there is to say stands in the effects (handlers only).
        case handled
        /// Is refused, and its sender told the reason, such as `NOT_ALLOWED`, if it waits for an answer.
        case reject(reason: String, message: String?)
        /// Is swallowed, and counted under this reason.
        case drop(String)
        /// Comes later, in ``MessageCompletion``; the deadline becomes this, or the longest that there is (handlers only).
        case deferred(Duration?)
    }

    /// What becomes of the message.
    public var disposition: Disposition
    /// What else happens, in this order, after the disposition.
    public var effects: [PluginEffect]

    /// Puts a verdict together.
    public init(_ disposition: Disposition, effects: [PluginEffect] = []) {
        self.disposition = disposition
        self.effects = effects
    }
}
