/// The answer to a LAUNCH that failed (protocol notes, 5.4).
public struct LaunchError: MessagePayload {
    /// Why a launch failed; devices also send words of their own.
    public struct Reason: WireWord {
        /// The word on the wire.
        public let rawValue: String

        /// Makes a reason from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
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

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Why the launch failed.
        public static let reason = Field<Reason>("reason")
        /// A finer reason of newer devices, `USER_NOT_ALLOWED` or `USER_NOTIFICATIONS_DISABLED`.
        public static let extendedError = Field<String>("extendedError")
    }

    /// Makes an answer.
    public init(_ reason: Reason, requestID: RequestID) {
        self.json = [
            "type": .string(Self.type), "requestId": requestID.json, "reason": .string(reason.rawValue),
        ]
    }
}

/// What became of a LAUNCH that needs the consent of the device's user (protocol notes, 5.4). It carries no request id of its own.
public struct LaunchStatus: MessagePayload {
    /// The states of consent.
    public enum State: String, Hashable, Sendable, CaseIterable, FieldValue {
        /// The device asks its user; the sender waits longer.
        case userPendingAuthorization = "USER_PENDING_AUTHORIZATION"
        /// The launch goes on.
        case userAllowed = "USER_ALLOWED"
        /// The user said no.
        case userNotAllowed = "USER_NOT_ALLOWED"
    }

    /// The type on the wire.
    public static let type = "LAUNCH_STATUS"

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The id of the LAUNCH.
        public static let launchRequestID = Field<RequestID>("launchRequestId")
        /// The state; nil when absent or unknown.
        public static let state = Field<State>("status")
    }

    /// Makes a message about the LAUNCH with this id.
    public init(_ state: State, launchRequestID: RequestID) {
        self.json = [
            "type": .string(Self.type), "launchRequestId": launchRequestID.json, "status": .string(state.rawValue),
        ]
    }
}
