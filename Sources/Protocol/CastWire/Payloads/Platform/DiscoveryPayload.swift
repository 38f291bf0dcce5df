/// A message of ``Namespace/discovery``: what a device is (protocol notes, 5.9).
public struct DiscoveryPayload: MessagePayload {
    /// The messages of the namespace.
    public enum Kind: Hashable, Sendable {
        /// Asks what the device is.
        case getDeviceInfo
        /// The answer.
        case deviceInfo
    }

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The device's id, 32 hexadecimal digits or a UUID.
        public static let deviceID = Field<String>("deviceId")
        /// The device's model.
        public static let deviceModel = Field<String>("deviceModel")
        /// The device's name for people.
        public static let friendlyName = Field<String>("friendlyName")
        /// The device's capability bits.
        public static let deviceCapabilities = Field<Int>(exact: "deviceCapabilities")
    }

    /// Which message it is, or nil for one that the namespace does not have. Some devices answer with the type of the
    /// question, so what names a device counts as an answer.
    public var kind: Kind? {
        switch self.type {
        case "DEVICE_INFO": .deviceInfo
        case "GET_DEVICE_INFO": self.deviceID == nil ? .getDeviceInfo : .deviceInfo
        default: nil
        }
    }

    /// The question what a device is.
    public static func getDeviceInfo(requestID: RequestID) -> Self {
        Self(json: ["type": "GET_DEVICE_INFO", "requestId": requestID.json])
    }

    /// The answer, in the form that phones are known to accept.
    ///
    /// - Parameters:
    ///   - deviceID: The device's id.
    ///   - model: The device's model.
    ///   - friendlyName: The device's name for people.
    ///   - capabilities: The device's capability bits.
    ///   - requestID: The question's id.
    public static func deviceInfo(
        deviceID: String, model: String, friendlyName: String, capabilities: Int, requestID: RequestID
    ) -> Self {
        Self(json: [
            "type": "DEVICE_INFO", "requestId": requestID.json, "deviceId": .string(deviceID),
            "deviceModel": .string(model), "friendlyName": .string(friendlyName),
            "deviceCapabilities": .number(capabilities), "deviceIconUrl": "", "controlNotifications": 1,
            "receiverMetricsId": "", "wifiProximityId": "",
        ])
    }
}
