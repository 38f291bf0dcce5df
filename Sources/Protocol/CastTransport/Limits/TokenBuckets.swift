package import NIOCore

/// A ``TokenBucket`` for each key, such as the address of a peer; it holds a bounded number of them.
///
/// A key without a bucket has a full one. A new key that finds the table at its limit removes the buckets that are full, which says the
/// same as keeping them. Where all are in use, all are removed: peers that make up keys gain some tokens, and no memory.
///
/// Knows no clock: instants are passed in.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// Tokens that come back in a second, for each key.
    package let perSecond: Int
    private let burst: Int
    private let limit: Int
    private var buckets: [Key: TokenBucket] = [:]

    /// Makes an empty table.
    /// - Parameters:
    ///   - perSecond: as for ``TokenBucket/init(perSecond:burst:at:)``.
    ///   - burst: as for ``TokenBucket/init(perSecond:burst:at:)``.
    ///   - limit: the most buckets that are kept.
    package init(perSecond: Int, burst: Int, limit: Int) {
        self.perSecond = perSecond
        self.burst = burst
        self.limit = limit
    }

    /// The number of buckets that are kept.
    package var count: Int { self.buckets.count }

    /// Takes one token of a key.
    /// - Returns: nil when there was one, otherwise the time until there is.
    package mutating func take(_ key: Key, at now: NIODeadline) -> TimeAmount? {
        if self.buckets[key] == nil { self.makeRoom(at: now) }
        var bucket = self.buckets[key] ?? TokenBucket(perSecond: self.perSecond, burst: self.burst, at: now)
        defer { self.buckets[key] = bucket }
        return bucket.take(at: now) ? nil : bucket.time(until: 1, at: now)
    }

    private mutating func makeRoom(at now: NIODeadline) {
        guard self.buckets.count >= self.limit else { return }
        self.buckets = self.buckets.filter { !$0.value.isFull(at: now) }
        if self.buckets.count >= self.limit { self.buckets.removeAll() }
    }
}
