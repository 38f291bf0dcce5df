import CastWire
import GatewayCore

/// A device that does not run and so says nothing of itself; the way of a message does not depend on it.
struct SilentDescription: DeviceDescription {
    func deviceInformation(requestID: RequestID) -> JSONObject { [:] }

    func setupInformation(params: [String]?) -> JSONObject { [:] }
}
