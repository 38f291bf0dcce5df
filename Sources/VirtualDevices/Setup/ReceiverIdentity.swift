import NIOCore

/// Who a virtual device is, beside what `gateway.yaml` says of it.
struct ReceiverIdentity: Hashable, Sendable {
    /// The device's UUID with dashes, in small letters, as `ssdp_udn` shows it.
    let udn: String
    /// The UUID without dashes, as the TXT key `id` and `deviceId` show it.
    let deviceID: String
    /// The address that senders reach, without port; empty when it is not known.
    let address: String
    /// When the device came up.
    let startedAt: NIODeadline

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - uuid: The device's UUID, with or without dashes, in any case.
    ///   - address: The address that senders reach, without port.
    ///   - startedAt: When the device came up; its uptime counts from here.
    init(uuid: String, address: String = "", startedAt: NIODeadline) {
        let digits = Array(uuid.lowercased().filter { $0 != "-" })
        self.deviceID = String(digits)
        self.udn =
            digits.count == 32
            ? [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
            : uuid.lowercased()
        self.address = address
        self.startedAt = startedAt
    }
}
