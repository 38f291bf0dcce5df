/// What became of a LAUNCH that needs somebody's consent (protocol notes, 5.4). It carries no request id of its own.
public struct LaunchStatus: MessagePayload {
    /// The states of consent.
    public enum State: String, Hashable, Sendable, CaseIterable {
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

    /// Looks at a message.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes a message about the LAUNCH with this id.
    public init(_ state: State, launchRequestID: RequestID) {
        self.json = [
            "type": .string(Self.type), "launchRequestId": launchRequestID.json, "status": .string(state.rawValue),
        ]
    }

    /// The id of the LAUNCH; nil when absent.
    public var launchRequestID: RequestID? {
        get { RequestID(json: self.json["launchRequestId"]) }
        set { self.json["launchRequestId"] = newValue?.json }
    }

    /// The state; nil when absent or unknown.
    public var state: State? { self.json.string("status").flatMap(State.init) }
}
