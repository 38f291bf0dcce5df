import CastWire

/// Speaker groups.
package enum MultizonePayloadTarget: FuzzTarget {
    /// `multizone`
    package static let name = "multizone"

    /// Reads a message of the namespace.
    package static func run(_ input: [UInt8]) throws {
        guard let payload = CastMessage.Payload(input: input), let message = MultizonePayload(payload) else { return }
        try PayloadCheck(message).survivesTheWire()
        _ = (message.kind, message.isMultichannel, message.deviceID)
        for device in message.devices + [message.device].compactMap(\.self) {
            _ = (device.deviceID, device.name, device.capabilities, device.volume?.level)
            let added = MultizonePayload.deviceAdded(device)
            try Violation.unless(added.device == device, "\(device) is not the device of \(added)")
        }
    }
}
