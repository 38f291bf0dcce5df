extension Bridges {
    /// The states of the bridges, by name, and why one is not up, where that is known.
    ///
    /// A broker that is out of reach is down, also while nothing waits for it.
    package var conditions: [(name: String, outbox: OutboxStatistics, reason: String?)] {
        self.outbox.standings.sorted { $0.key < $1.key }.map { name, standing in
            guard name == Self.broker, case .disconnected(let reason) = self.mqtt.standing else {
                return (name, standing, nil)
            }
            var standing = standing
            if standing.state == .up { standing.state = .down }
            return (name, standing, reason)
        }
    }
}
