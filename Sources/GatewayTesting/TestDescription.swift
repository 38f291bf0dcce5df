public import CastWire
public import GatewayCore

/// A virtual device's description that says next to nothing.
public struct TestDescription: DeviceDescription {
    /// Makes the description.
    public init() {}

    /// A bare DEVICE_INFO.
    public func deviceInformation(requestID: RequestID) -> JSONObject {
        ["type": "DEVICE_INFO", "requestId": requestID.json]
    }

    /// A bare name.
    public func setupInformation(params: [String]?) -> JSONObject { ["name": "Test device"] }
}

extension DeviceFacts {
    /// A virtual device called `test`.
    public static func test(name: String = "test", target: String? = nil) -> DeviceFacts {
        DeviceFacts(name: name, target: target, description: TestDescription())
    }
}
