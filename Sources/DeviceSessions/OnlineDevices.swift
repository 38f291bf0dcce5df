import Synchronization

/// The names of the devices whose channel is open, for whoever asks from another thread.
final class OnlineDevices: Sendable {
    private let names = Mutex<[String: Set<ObjectIdentifier>]>([:])

    func contains(_ name: String) -> Bool {
        self.names.withLock { $0[name] != nil }
    }

    /// Notes how a session stands; for a moment there may be two of one name, when a device is replaced.
    func set(_ session: DeviceSession, isOnline: Bool) {
        let id = ObjectIdentifier(session)
        self.names.withLock { names in
            var ids = names[session.name] ?? []
            if isOnline { ids.insert(id) } else { ids.remove(id) }
            names[session.name] = ids.isEmpty ? nil : ids
        }
    }
}
