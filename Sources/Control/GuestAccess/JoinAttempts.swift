import CastTransport
import NIOCore

/// How often an address may show a wrong code: five times at once; after that it has to wait, twice as long after each further one.
///
/// An attempt is counted before the code is looked at, and taken back when the code is right, so that attempts at the same time count
/// all. Knows no clock, and keeps a bounded number of addresses in mind.
struct JoinAttempts {
    /// How many wrong codes an address may show at once.
    static let atOnce = 5
    /// The wait after the first beyond that, and the longest.
    static let firstWait = TimeAmount.seconds(30)
    static let longestWait = TimeAmount.hours(1)
    /// After so long without another wrong code the address begins anew.
    private static let memory = TimeAmount.hours(2)
    private static let maximumAddresses = 4096

    private struct Record {
        var wrong = 0
        var blockedUntil: NIODeadline
        var last: NIODeadline
    }

    private var records: [AddressBlock: Record] = [:]

    /// How many addresses are kept in mind.
    var addressCount: Int { self.records.count }

    /// Counts an attempt.
    /// - Returns: nil when the code may be looked at, else how long the address has to wait; the attempt is not counted then.
    mutating func begin(from address: String, at now: NIODeadline) -> TimeAmount? {
        let block = AddressBlock(address)
        var record = self.records[block] ?? Record(blockedUntil: now, last: now)
        if now - record.last >= Self.memory { record.wrong = 0 }
        guard record.blockedUntil <= now else { return record.blockedUntil - now }
        if self.records[block] == nil { self.makeRoom(at: now) }
        record.wrong += 1
        record.last = now
        if record.wrong >= Self.atOnce {
            let doublings = min(record.wrong - Self.atOnce, 16)
            let wait = Self.firstWait.nanoseconds << Int64(doublings)
            record.blockedUntil = now + min(.nanoseconds(wait), Self.longestWait)
        }
        self.records[block] = record
        return nil
    }

    /// Takes back the last attempt of an address: its code was right.
    mutating func succeeded(from address: String) {
        let block = AddressBlock(address)
        guard var record = self.records[block] else { return }
        record.wrong -= 1
        // One right code does not make good for the wrong ones: else a guest could try others' codes between redeeming its own.
        if record.wrong < Self.atOnce { record.blockedUntil = record.last }
        self.records[block] = record.wrong <= 0 ? nil : record
    }

    private mutating func makeRoom(at now: NIODeadline) {
        guard self.records.count >= Self.maximumAddresses else { return }
        self.records = self.records.filter { now - $0.value.last < Self.memory }
        guard self.records.count >= Self.maximumAddresses else { return }
        // Those that may try again at once lose least by it; a code bears a bounded number of attempts whatever the address.
        self.records = self.records.filter { $0.value.blockedUntil > now }
        if self.records.count >= Self.maximumAddresses { self.records.removeAll() }
    }
}
