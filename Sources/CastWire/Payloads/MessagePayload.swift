/// A payload that is a message of its own, with a type and mostly a request id (protocol notes, 5.1).
public protocol MessagePayload: JSONPayload {
    /// The message's type as it stands on the wire, or nil when absent.
    var type: String? { get }

    /// What ties a reply to its request; nil when absent. Setting nil removes it.
    var requestID: RequestID? { get set }
}

extension MessagePayload {
    /// Reads a payload, or gives nil when it is binary or no JSON object.
    public init?(_ payload: CastMessage.Payload) {
        guard let object = payload.jsonObject else { return nil }
        self.init(json: object)
    }

    /// The text under `type`.
    public var type: String? { self.json.string("type") }

    /// The number or text under `requestId`.
    public var requestID: RequestID? {
        get { RequestID(json: self.json["requestId"]) }
        set { self.json["requestId"] = newValue?.json }
    }

    /// The message as the payload of a ``CastMessage``.
    public var payload: CastMessage.Payload { .json(self.json) }
}
