import Synchronization

/// The names of the devices whose channel is open, for whoever asks from another thread.
final class OnlineDevices: Sendable {
    private let names = Mutex(Set<String>())

    func contains(_ name: String) -> Bool {
        self.names.withLock { $0.contains(name) }
    }

    func set(_ name: String, isOnline: Bool) {
        self.names.withLock { names in
            if isOnline { names.insert(name) } else { names.remove(name) }
        }
    }
}
