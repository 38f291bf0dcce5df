import NIOCore

/// Lets each instance be told of once a second, and of one that goes on and on every two seconds: whoever is told dials
/// the device, and a dial needs some time before it is begun anew.
struct AnnouncementThrottle {
    private struct Bucket {
        var last: NIODeadline
        /// When it is as if nothing had been said.
        var end: NIODeadline
    }

    static let spacing = TimeAmount.seconds(1)
    static let interval = TimeAmount.seconds(2)
    /// So many come at the spacing, once there was silence.
    static let burst = 4
    /// More than any network has devices.
    static let maximumInstances = 4096

    private var buckets: [String: Bucket] = [:]

    /// How many instances are kept in mind.
    var count: Int { self.buckets.count }

    /// Whether an instance that was just heard is told of.
    mutating func allows(_ instance: String, at now: NIODeadline) -> Bool {
        guard let bucket = self.buckets[instance] else {
            self.makeRoom(at: now)
            self.buckets[instance] = Bucket(last: now, end: now + Self.interval)
            return true
        }
        let end = max(bucket.end, now) + Self.interval
        guard now >= bucket.last + Self.spacing, end - now <= Self.interval * Self.burst else { return false }
        self.buckets[instance] = Bucket(last: now, end: end)
        return true
    }

    private mutating func makeRoom(at now: NIODeadline) {
        guard self.buckets.count >= Self.maximumInstances else { return }
        self.buckets = self.buckets.filter { $0.value.end > now }
        // Somebody makes names up. They must not keep devices from being heard.
        if self.buckets.count >= Self.maximumInstances { self.buckets = [:] }
    }
}
