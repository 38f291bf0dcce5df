import CastTransport
import NIOCore

/// How often an address may show a wrong token: ten times at once, and once a second after that.
///
/// Right tokens are taken all the same, since an address may be that of a proxy, and tokens are too long to be guessed; the limit
/// keeps guessing cheap for the gateway. Knows no clock, and keeps a bounded number of addresses in mind.
struct GuessLimiter {
    private static let perSecond = 1
    private static let atOnce = 10
    private static let maximumAddresses = 4096

    private var buckets: [AddressBlock: TokenBucket] = [:]

    /// Counts a wrong token.
    /// - Returns: nil while the address may try again at once, else how long it has to wait.
    mutating func failed(from address: String, at now: NIODeadline) -> TimeAmount? {
        let block = AddressBlock(address)
        if self.buckets[block] == nil { self.makeRoom(at: now) }
        var bucket =
            self.buckets[block] ?? TokenBucket(perSecond: Self.perSecond, burst: Self.atOnce, at: now)
        let isTaken = bucket.take(at: now)
        self.buckets[block] = bucket
        return isTaken ? nil : bucket.time(until: 1, at: now)
    }

    /// How many addresses are kept in mind.
    var addressCount: Int { self.buckets.count }

    private mutating func makeRoom(at now: NIODeadline) {
        guard self.buckets.count >= Self.maximumAddresses else { return }
        self.buckets = self.buckets.filter { !$0.value.isFull(at: now) }
        if self.buckets.count >= Self.maximumAddresses { self.buckets.removeAll() }
    }
}
