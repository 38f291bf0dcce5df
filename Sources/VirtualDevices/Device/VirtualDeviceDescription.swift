import CastWire
import GatewayCore
import NIOCore

/// What a virtual device says of itself: the same for the built-in receiver and for a relay.
struct VirtualDeviceDescription: DeviceDescription {
    let configuration: VirtualDeviceSettings
    let identity: ReceiverIdentity

    /// The bit of a screen among the capabilities (protocol notes, 1).
    var hasScreen: Bool { self.configuration.capabilities & 1 != 0 }

    func deviceInformation(requestID: RequestID) -> JSONObject {
        DiscoveryPayload.deviceInfo(
            deviceID: self.identity.deviceID, model: self.configuration.model,
            friendlyName: self.configuration.friendlyName, capabilities: self.configuration.capabilities,
            requestID: requestID
        ).json
    }

    func setupInformation(params: [String]?) -> JSONObject {
        EurekaInfo(configuration: self.configuration, identity: self.identity, now: .now()).body(params: params)
    }
}
