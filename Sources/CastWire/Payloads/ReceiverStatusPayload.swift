/// A RECEIVER_STATUS: the device's status, as an answer or, with request id 0, unasked (protocol notes, 5.2).
public struct ReceiverStatusPayload: MessagePayload {
    /// The type on the wire.
    public static let type = "RECEIVER_STATUS"

    /// The whole message.
    public var json: JSONObject

    /// Looks at a message.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes a message.
    public init(_ status: ReceiverStatus, requestID: RequestID = .spontaneous) {
        self.json = ["type": .string(Self.type), "requestId": requestID.json, "status": .object(status.json)]
    }

    /// The status; nil when the message has none or has another type.
    public var status: ReceiverStatus? {
        get { self.type == Self.type ? self.json.object("status").map(ReceiverStatus.init) : nil }
        set { self.json["status"] = newValue.map { .object($0.json) } }
    }
}
