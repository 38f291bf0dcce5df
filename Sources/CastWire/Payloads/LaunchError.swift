/// The answer to a LAUNCH that failed (protocol notes, 5.4).
public struct LaunchError: MessagePayload {
    /// Why a launch failed; devices also send words of their own.
    public struct Reason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The word on the wire.
        public let rawValue: String

        /// Makes a reason from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Makes a reason from a literal.
        public init(stringLiteral value: String) {
            self.rawValue = value
        }

        /// The device knows no such app.
        public static let notFound: Reason = "NOT_FOUND"
        /// The device failed.
        public static let systemError: Reason = "SYSTEM_ERROR"
        /// The request's parameters are wrong.
        public static let badParameter: Reason = "BAD_PARAMETER"
        /// Another launch or stop came in between.
        public static let cancelled: Reason = "CANCELLED"
        /// The launch was refused.
        public static let notAllowed: Reason = "NOT_ALLOWED"
        /// The app did not come up in time.
        public static let timeout: Reason = "TIMEOUT"
    }

    /// The type on the wire.
    public static let type = "LAUNCH_ERROR"

    /// The whole message.
    public var json: JSONObject

    /// Looks at a message.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes an answer.
    public init(_ reason: Reason, requestID: RequestID) {
        self.json = [
            "type": .string(Self.type), "requestId": requestID.json, "reason": .string(reason.rawValue),
        ]
    }

    /// Why the launch failed; nil when absent.
    public var reason: Reason? {
        get { self.json.string("reason").map(Reason.init(rawValue:)) }
        set { self.json["reason"] = newValue.map { .string($0.rawValue) } }
    }

    /// A finer reason of newer devices, `USER_NOT_ALLOWED` or `USER_NOTIFICATIONS_DISABLED`.
    public var extendedError: String? {
        get { self.json.string("extendedError") }
        set { self.json["extendedError"] = newValue.map(JSONValue.string) }
    }
}
