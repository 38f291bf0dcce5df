import CastWire

/// The members of a speaker group, from its status and what it tells of later (protocol notes, 5.8).
struct GroupMembers {
    /// The limit; more than any group has.
    private static let maximumCount = 128

    private(set) var devices: [MultizoneDevice] = []

    /// Takes what the group says.
    /// - Returns: true when the members, or what is known of them, have changed.
    mutating func update(_ payload: MultizonePayload) -> Bool {
        let before = self.devices
        switch payload.kind {
        case .status:
            guard let members = payload.members else { return false }
            self.devices = members.prefix(Self.maximumCount).map { member in
                self.devices.first { $0.deviceID == member.deviceID }.map(member.completed(by:)) ?? member
            }
        case .deviceAdded, .deviceUpdated:
            guard let device = payload.device, let id = device.deviceID else { return false }
            if let index = self.devices.firstIndex(where: { $0.deviceID == id }) {
                self.devices[index] = device.completed(by: self.devices[index])
            } else if self.devices.count < Self.maximumCount {
                self.devices.append(device)
            }
        case .deviceRemoved: self.devices.removeAll { $0.deviceID == payload.deviceID }
        default: return false
        }
        return self.devices != before
    }
}
