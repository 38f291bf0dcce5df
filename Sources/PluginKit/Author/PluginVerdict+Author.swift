public import CastWire

extension PluginVerdict {
    /// No opinion; the next candidate decides.
    public static let pass = PluginVerdict(.pass)
    /// Is taken; what there is to say stands in the effects.
    public static let handled = PluginVerdict(.handled)

    /// Is answered with a JSON object, to which the gateway adds the request's id.
    public static func reply(_ json: JSONObject) -> PluginVerdict { .reply(.json(json)) }
    /// Is answered with a payload as it is; the gateway adds the request's id when it holds a JSON object without one.
    public static func reply(_ payload: CastMessage.Payload) -> PluginVerdict { PluginVerdict(.reply(payload)) }
    /// Goes to the peer as it came, and nobody else is asked.
    public static func forward() -> PluginVerdict { PluginVerdict(.forward(nil)) }
    /// Goes to the peer with another payload.
    public static func forward(_ json: JSONObject) -> PluginVerdict { PluginVerdict(.forward(.json(json))) }
    /// Goes to the peer with another payload.
    public static func forward(_ payload: CastMessage.Payload) -> PluginVerdict { PluginVerdict(.forward(payload)) }
    /// Goes on with another payload. Filters only.
    public static func rewrite(_ json: JSONObject) -> PluginVerdict { PluginVerdict(.rewrite(.json(json))) }
    /// Goes on with another payload. Filters only.
    public static func rewrite(_ payload: CastMessage.Payload) -> PluginVerdict { PluginVerdict(.rewrite(payload)) }
    /// Is refused: the reason for programs, such as `NOT_ALLOWED`, the message for people.
    public static func reject(_ reason: String, _ message: String? = nil) -> PluginVerdict {
        PluginVerdict(.reject(reason: reason, message: message))
    }
    /// Is swallowed, and counted under this reason.
    public static func drop(_ reason: String) -> PluginVerdict { PluginVerdict(.drop(reason)) }
    /// Is decided later, by ``PluginGateway/complete(_:with:)``.
    /// - Parameter time: how long that may take; nil for the longest that the gateway allows.
    public static func deferred(within time: Duration? = nil) -> PluginVerdict { PluginVerdict(.deferred(time)) }

    /// The same, with one thing more that happens.
    public func also(_ effect: PluginEffect) -> PluginVerdict {
        var verdict = self
        verdict.effects.append(effect)
        return verdict
    }

    /// Says something more to the message's sender.
    public func replyToSender(_ json: JSONObject, namespace: Namespace? = nil) -> PluginVerdict {
        self.also(.replyToSender(namespace: namespace, payload: .json(json)))
    }

    /// Says something to every sender of the message's session.
    public func broadcast(_ json: JSONObject, namespace: Namespace? = nil) -> PluginVerdict {
        self.also(.broadcast(namespace: namespace, payload: .json(json)))
    }

    /// Says something to the app, as if the message's sender had said it.
    public func sendToReceiver(_ json: JSONObject, namespace: Namespace? = nil) -> PluginVerdict {
        self.also(.sendToReceiver(namespace: namespace, payload: .json(json)))
    }

    /// Puts an event on the gateway's bus; of those with one key, those that come again may be left out.
    public func emit(_ event: String, _ data: JSONValue = [:], key: String? = nil) -> PluginVerdict {
        self.also(.emit(event: event, data: data, key: key))
    }

    /// Keeps a value, together with the verdict.
    public func put(_ key: String, _ value: JSONValue) -> PluginVerdict { self.also(.put(key: key, value: value)) }

    /// Forgets a value, together with the verdict.
    public func delete(_ key: String) -> PluginVerdict { self.also(.delete(key: key)) }

    /// Writes a line into the gateway's log.
    public func log(_ level: PluginLogLevel, _ message: String) -> PluginVerdict { self.also(.log(level, message)) }
}
