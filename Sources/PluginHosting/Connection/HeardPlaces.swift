import GatewayCore

/// The sessions and devices of which a plugin was given a message, which bound to whom it may send. Bounded.
package struct HeardPlaces {
    private static let limit = 1024

    private var last: DoorAddress?
    private var places: Set<DoorAddress> = []
    private var latest: [String: String] = [:]

    /// Nothing was heard yet.
    package init() {}

    /// Takes note of where a message passed.
    package mutating func hear(device: String, session: String?) {
        // Messages come in runs.
        if let last, last.session == session, last.device == device { return }
        let place = DoorAddress(device: device, session: session)
        self.last = place
        if self.places.count >= Self.limit {
            self.places = []
            self.latest = [:]
        }
        self.places.insert(place)
        if let session { self.latest[device] = session }
    }

    /// Whether a message of the device was given.
    func contains(device: String) -> Bool { self.places.contains { $0.device == device } }

    /// The session that is meant and of which a message was given; without a session the latest one of the device.
    func session(_ session: String?, on device: String) -> String? {
        guard let session else { return self.latest[device] }
        return self.places.contains(DoorAddress(device: device, session: session)) ? session : nil
    }
}
