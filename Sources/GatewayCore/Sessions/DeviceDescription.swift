public import CastWire

/// What a virtual device says of itself, whatever stands behind it.
public protocol DeviceDescription: Sendable {
    /// The answer to GET_DEVICE_INFO (protocol notes, 5.9).
    func deviceInformation(requestID: RequestID) -> JSONObject

    /// The blocks of `eureka_info` (protocol notes, 5.10).
    /// - Parameter params: the blocks that were asked for; nil means the usual ones.
    func setupInformation(params: [String]?) -> JSONObject
}
