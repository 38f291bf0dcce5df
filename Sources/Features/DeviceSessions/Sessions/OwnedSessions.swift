/// The sessions of apps on a device that the gateway's own sessions have been connected to in this run, by the device's ids:
/// what `sessions.join: own` lets operations join again.
///
/// Holds the newest 16; a device runs one app at a time.
struct OwnedSessions {
    private static let maximumCount = 16

    private var ids: [String] = []

    mutating func note(_ id: String?) {
        guard let id, self.ids.last != id else { return }
        self.ids.removeAll { $0 == id }
        self.ids.append(id)
        if self.ids.count > Self.maximumCount { self.ids.removeFirst() }
    }

    /// True if the gateway has been connected to a session.
    func contains(_ id: String) -> Bool { self.ids.contains(id) }
}
