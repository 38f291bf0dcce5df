/// The answer to a request that a device will not carry out (protocol notes, 5.1 and 6.9).
public struct InvalidRequest: MessagePayload {
    /// Why a request was refused; apps also send words of their own.
    public struct Reason: WireWord {
        /// The word on the wire.
        public let rawValue: String

        /// Makes a reason from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The namespace has no such request, or not now.
        public static let invalidCommand: Reason = "INVALID_COMMAND"
        /// No such session runs.
        public static let invalidSessionID: Reason = "INVALID_SESSION_ID"
        /// No such media session runs.
        public static let invalidMediaSessionID: Reason = "INVALID_MEDIA_SESSION_ID"
        /// A parameter is missing or wrong.
        public static let invalidParams: Reason = "INVALID_PARAMS"
        /// The request's id was used already.
        public static let duplicateRequestID: Reason = "DUPLICATE_REQUEST_ID"
        /// The receiver does not do this.
        public static let notSupported: Reason = "NOT_SUPPORTED"
    }

    /// The type on the wire.
    public static let type = "INVALID_REQUEST"

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Why the request was refused.
        public static let reason = Field<Reason>("reason")
    }

    /// Makes an answer.
    public init(_ reason: Reason, requestID: RequestID) {
        self.json = [
            "type": .string(Self.type), "requestId": requestID.json, "reason": .string(reason.rawValue),
        ]
    }
}
