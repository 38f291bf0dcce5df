import NIOCore

/// Reports each instance at most once a second, and one that keeps announcing itself every two seconds: the link that is told
/// dials the device, and a dial needs some time before it is begun anew.
///
/// What says more is not held back by what says less and often comes just before: that a device is there, that it is at an
/// address, and that it is at another one than before are counted apart.
struct AnnouncementThrottle {
    private enum News: Hashable {
        case presence, address, move
    }

    private struct Key: Hashable {
        let instance: String
        let news: News
    }

    private struct Bucket {
        var last: NIODeadline
        /// The time when it is as if nothing had been said.
        var end: NIODeadline
        /// The address that the instance gave last; told with `address` and `move`, and kept with `address`.
        var address = ""
    }

    static let spacing = TimeAmount.seconds(1)
    static let interval = TimeAmount.seconds(2)
    /// The number that come at the spacing, once there was silence.
    static let burst = 4
    /// More than any network has devices, each of them with all that it may say.
    static let maximumBuckets = 8192

    private var buckets: [Key: Bucket] = [:]

    var count: Int { self.buckets.count }

    /// Returns true if an instance that was just heard is to be reported.
    mutating func allows(_ instance: HeardInstance, from address: String, at now: NIODeadline) -> Bool {
        guard instance.port != nil else { return self.allows(Key(instance: instance.name, news: .presence), at: now) }
        let key = Key(instance: instance.name, news: .address)
        let isMove = self.buckets[key].map { $0.address != address } ?? false
        guard self.allows(isMove ? Key(instance: instance.name, news: .move) : key, at: now) else { return false }
        self.buckets[key]?.address = address
        return true
    }

    private mutating func allows(_ key: Key, at now: NIODeadline) -> Bool {
        guard let bucket = self.buckets[key] else {
            self.makeRoom(at: now)
            self.buckets[key] = Bucket(last: now, end: now + Self.interval)
            return true
        }
        let end = max(bucket.end, now) + Self.interval
        guard now >= bucket.last + Self.spacing, end - now <= Self.interval * Self.burst else { return false }
        self.buckets[key]?.last = now
        self.buckets[key]?.end = end
        return true
    }

    private mutating func makeRoom(at now: NIODeadline) {
        guard self.buckets.count >= Self.maximumBuckets else { return }
        self.buckets = self.buckets.filter { $0.value.end > now }
        // A host on the network makes names up. They must not keep devices from being heard.
        if self.buckets.count >= Self.maximumBuckets { self.buckets = [:] }
    }
}
