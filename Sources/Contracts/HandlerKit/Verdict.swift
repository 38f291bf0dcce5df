public import CastWire

/// A handler's answer about one message: exactly one disposition, and any number of effects.
///
/// ```swift
/// return .reply(["type": "JOINED"]).broadcast(["type": "PLAYERS", "count": 3])
/// ```
public struct Verdict: Hashable, Sendable {
    /// What becomes of the message.
    public var disposition: Disposition
    /// What else happens: in this order, after the disposition, before the next message of the flow.
    public var effects: [Effect]

    /// Makes a verdict.
    public init(_ disposition: Disposition, effects: [Effect] = []) {
        self.disposition = disposition
        self.effects = effects
    }

    // MARK: Dispositions

    /// No opinion: the next candidate decides, then `routing.default`.
    public static let pass = Verdict(.pass)
    /// Forwards the message to the peer as it came; no further handler is asked.
    public static let forward = Verdict(.forward(nil))
    /// Takes the message; it goes no further.
    public static let handled = Verdict(.handled)
    /// Decides later. In the gateway through the `Deferral` of the context, in a plugin through `PluginGateway`.
    public static let deferred = Verdict(.deferred(nil))

    /// Takes the message, with these effects.
    public static func handled(_ effects: Effect...) -> Verdict { Verdict(.handled, effects: effects) }
    /// Forwards the message with another payload.
    public static func forward(_ json: JSONObject) -> Verdict { .forward(.json(json)) }
    /// Forwards the message with another payload.
    public static func forward(_ payload: CastMessage.Payload) -> Verdict { Verdict(.forward(payload)) }
    /// Lets the message go on to the next handler with another payload. Filters only.
    public static func rewrite(_ json: JSONObject) -> Verdict { .rewrite(.json(json)) }
    /// Lets the message go on to the next handler with another payload. Filters only.
    public static func rewrite(_ payload: CastMessage.Payload) -> Verdict { Verdict(.rewrite(payload)) }
    /// Answers the message with a JSON object.
    public static func reply(_ json: JSONObject) -> Verdict { .reply(.json(json)) }
    /// Answers the message with a payload.
    public static func reply(_ payload: CastMessage.Payload) -> Verdict { Verdict(.reply(payload)) }
    /// Refuses the message.
    public static func reject(_ rejection: Rejection) -> Verdict { Verdict(.reject(rejection)) }
    /// Refuses the message.
    /// - Parameters:
    ///   - reason: for programs, such as `NOT_ALLOWED`.
    ///   - message: for people.
    public static func reject(_ reason: String, _ message: String? = nil) -> Verdict {
        .reject(Rejection(reason, message))
    }
    /// Discards the message without an answer, counted under this reason.
    public static func drop(_ reason: String) -> Verdict { Verdict(.drop(reason)) }
    /// Decides later, as ``deferred`` does.
    /// - Parameter time: how long that may take at most.
    public static func deferred(within time: Duration) -> Verdict { Verdict(.deferred(time)) }

    // MARK: Effects

    /// The same verdict with one more effect.
    public func also(_ effect: Effect) -> Verdict {
        var verdict = self
        verdict.effects.append(effect)
        return verdict
    }

    /// Sends one more message to the message's sender.
    public func replyToSender(_ json: JSONObject, namespace: Namespace? = nil) -> Verdict {
        self.also(.replyToSender(namespace: namespace, payload: .json(json)))
    }

    /// Sends a message to every sender of the message's session.
    public func broadcast(_ json: JSONObject, namespace: Namespace? = nil) -> Verdict {
        self.also(.broadcast(namespace: namespace, payload: .json(json)))
    }

    /// Sends a message to the app, as if the message's sender had sent it.
    public func sendToReceiver(_ json: JSONObject, namespace: Namespace? = nil) -> Verdict {
        self.also(.sendToReceiver(namespace: namespace, payload: .json(json)))
    }

    /// Publishes an event on the gateway's bus; subscribers may skip all but the latest of those with one key.
    public func emit(_ event: String, _ data: JSONValue = [:], key: String? = nil) -> Verdict {
        self.also(.emit(event: event, data: data, key: key))
    }

    /// Stores a value together with the verdict. Plugins only.
    public func put(_ key: String, _ value: JSONValue) -> Verdict { self.also(.put(key: key, value: value)) }

    /// Deletes a stored value together with the verdict. Plugins only.
    public func delete(_ key: String) -> Verdict { self.also(.delete(key: key)) }

    /// Writes a line into the gateway's log.
    public func log(_ level: Effect.LogLevel, _ message: String) -> Verdict { self.also(.log(level, message)) }
}

/// What becomes of a message. A handler replaces the payload at most: both ends and the namespace stay as they are, so that
/// the message keeps its place in its flow and its owner.
public enum Disposition: Hashable, Sendable {
    /// No opinion; the next candidate, or `routing.default`, decides.
    case pass
    /// Goes on to the next handler with this payload (filters only).
    case rewrite(CastMessage.Payload)
    /// Goes to the peer with this payload, or as it came when nil; no further handler is asked (owners only).
    case forward(CastMessage.Payload?)
    /// Is answered with this payload, ends swapped; the peer never sees the message, and no further handler is asked. An
    /// answer of a plugin gets the request's id when it is a JSON object without one.
    case reply(CastMessage.Payload)
    /// Is taken; messages that it gives rise to stand in the effects (owners only).
    case handled
    /// Is refused; its sender is told if it waits for an answer.
    case reject(Rejection)
    /// Is discarded without an answer, counted under this reason.
    case drop(String)
    /// Goes to the handler of this name alone, with this payload or as it came when nil: past the filters that are left, and
    /// past the owners (filters in the gateway only). When that handler passes, `routing.default` decides. The message is
    /// refused when no handler of that name takes messages on the virtual device, when it has itself sent the message, or when it
    /// may see only what it claims (``MessageHandler``) and does not claim this message.
    case handOver(String, CastMessage.Payload? = nil)
    /// Is decided later (owners and filters in the gateway, owners in plugins). The deadline of the claim holds when nil;
    /// a plugin gets the longest deadline that there is.
    case deferred(Duration?)
}
