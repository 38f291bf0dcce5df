public import CastWire

/// Why a message is refused, as its sender is told. A handler returns it in a verdict or throws it.
public struct Rejection: Error, Hashable, Sendable {
    /// The reason on the wire, such as `NOT_ALLOWED` (protocol notes, 5.4 and 6.9).
    public let reason: String
    /// The same for people; goes out beside the reason.
    public let message: String?
    /// The name of the operator's rule that forbids it, for the log.
    public let rule: String?

    /// Makes a rejection.
    public init(reason: String, message: String? = nil, rule: String? = nil) {
        self.reason = reason
        self.message = message
        self.rule = rule
    }

    /// Makes a rejection of a reason for programs, such as `NOT_ALLOWED`, and a text for people.
    public init(_ reason: String, _ message: String? = nil) {
        self.init(reason: reason, message: message)
    }

    /// A rule of the operator's forbids it.
    public static func notAllowed(_ message: String? = nil, rule: String? = nil) -> Rejection {
        Rejection(reason: "NOT_ALLOWED", message: message, rule: rule)
    }

    /// A handler failed or was late, and its claim says `on_failure: closed`.
    public static let handlerFailed = Rejection(reason: "APP_ERROR", message: "a handler failed")

    /// The virtual device does not serve this namespace.
    public static let notSupported = Rejection(reason: "NOT_SUPPORTED")

    /// Too many messages wait.
    public static let overloaded = Rejection(reason: "CONCURRENT_STREAM_LIMIT", message: "too many messages waiting")

    /// The payload is malformed or its values make no sense.
    public static func invalidParameters(_ message: String? = nil) -> Rejection {
        Rejection(reason: "INVALID_PARAMS", message: message)
    }

    /// The answer to a request, or nil when its sender does not wait for one.
    ///
    /// A LAUNCH is refused with LAUNCH_ERROR, setup in its own shape, everything else with INVALID_REQUEST.
    public func answer(to message: CastMessage, _ summary: PayloadSummary) -> CastMessage? {
        guard let id = summary.requestID, id != .spontaneous else { return nil }
        var json: JSONObject
        if message.namespace == .setup {
            json = [
                "type": .string(summary.type ?? "eureka_info"), "request_id": id.json, "response_code": 403,
                "response_string": .string(self.reason),
            ]
        } else if message.namespace == .receiver, summary.type == "LAUNCH" {
            json = ["type": "LAUNCH_ERROR", "requestId": id.json, "reason": .string(self.reason)]
            if let text = self.message { json["error"] = .string(text) }
        } else {
            json = ["type": "INVALID_REQUEST", "requestId": id.json, "reason": .string(self.reason)]
            if let text = self.message { json["message"] = .string(text) }
        }
        return message.reply(json: json)
    }
}
