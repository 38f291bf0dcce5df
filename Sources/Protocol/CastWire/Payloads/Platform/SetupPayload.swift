/// A message of ``Namespace/setup``: details of a device, under names of their own (protocol notes, 5.10).
public struct SetupPayload: MessagePayload {
    /// The one message whose shape is known; question and answer have the same type.
    public static let eurekaInfoType = "eureka_info"

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// What an answer tells, or what a question asks for.
        public static let data = Field<JSONObject>("data")
        /// The result of an answer, 200 for success; nil in a question.
        public static let responseCode = Field<Int>(exact: "response_code")
    }

    /// What ties an answer to its question; this namespace writes `request_id`, some senders `requestId`.
    public var requestID: RequestID? {
        get { RequestID(json: self.json["requestId"]) ?? RequestID(json: self.json["request_id"]) }
        set { self.json[self.requestIDName] = newValue?.json }
    }

    private var requestIDName: String { self.json["requestId"] == nil ? "request_id" : "requestId" }

    /// True for a question or an answer about the device.
    public var isEurekaInfo: Bool { self.type == Self.eurekaInfoType }

    /// A question about the device.
    public static func eurekaInfo(requestID: RequestID) -> Self {
        Self(json: ["type": .string(Self.eurekaInfoType), "request_id": requestID.json])
    }

    /// An answer about the device.
    ///
    /// - Parameters:
    ///   - request: The question; its id comes back under the name that it had.
    ///   - data: What the device tells.
    public static func eurekaInfo(answering request: SetupPayload, data: JSONObject) -> Self {
        var json: JSONObject = ["type": .string(Self.eurekaInfoType)]
        json[request.requestIDName] = request.requestID?.json
        json["response_code"] = 200
        json["response_string"] = "OK"
        json["data"] = .object(data)
        return Self(json: json)
    }

    /// The details of a device as ``eurekaInfo(answering:data:)`` carries them.
    ///
    /// - Parameters:
    ///   - name: The device's name for people.
    ///   - udn: The device's UUID, with dashes.
    ///   - manufacturer: Who makes the device.
    ///   - productName: The device's model.
    ///   - revision: The software's version.
    public static func deviceDetails(
        name: String, udn: String, manufacturer: String, productName: String, revision: String
    ) -> JSONObject {
        [
            "version": 12, "name": .string(name),
            "device_info": [
                "ssdp_udn": .string(udn), "manufacturer": .string(manufacturer), "product_name": .string(productName),
            ],
            "build_info": [
                "build_type": 2, "cast_build_revision": .string(revision), "system_build_number": .string(revision),
            ],
        ]
    }
}
