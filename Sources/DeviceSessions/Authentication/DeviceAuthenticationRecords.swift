import Synchronization

/// The last record of each device, for whoever asks from another thread.
final class DeviceAuthenticationRecords: Sendable {
    private let records = Mutex<[String: DeviceAuthenticationRecord]>([:])

    subscript(device: String) -> DeviceAuthenticationRecord? {
        get { self.records.withLock { $0[device] } }
        set { self.records.withLock { $0[device] = newValue } }
    }

    /// Forgets the devices that are none of these.
    func keepOnly(_ devices: Set<String>) {
        self.records.withLock { records in records = records.filter { devices.contains($0.key) } }
    }
}
