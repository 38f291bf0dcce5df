public import CastWire

/// A handler's answer: exactly one disposition, and any number of effects.
public struct Verdict: Hashable, Sendable {
    /// What becomes of the message.
    public var disposition: Disposition
    /// What else is done.
    public var effects: [Effect]

    /// Puts a verdict together.
    public init(_ disposition: Disposition, effects: [Effect] = []) {
        self.disposition = disposition
        self.effects = effects
    }

    /// No opinion.
    public static let pass = Verdict(.pass)
    /// On to the peer, as it came.
    public static let forward = Verdict(.forward(nil))
    /// On to the peer, changed.
    public static func forward(_ message: CastMessage) -> Verdict { Verdict(.forward(message)) }
    /// Replaced by this message, then on (filters).
    public static func rewrite(_ message: CastMessage) -> Verdict { Verdict(.rewrite(message)) }
    /// Answered with a JSON object.
    public static func reply(_ json: JSONObject) -> Verdict { Verdict(.reply(.json(json))) }
    /// Taken, with these effects.
    public static func handled(_ effects: Effect...) -> Verdict { Verdict(.handled, effects: effects) }
    /// Refused.
    public static func reject(_ rejection: Rejection) -> Verdict { Verdict(.reject(rejection)) }
    /// Swallowed.
    public static func drop(_ reason: String) -> Verdict { Verdict(.drop(reason)) }
    /// Decided later.
    public static let deferred = Verdict(.deferred)
}
