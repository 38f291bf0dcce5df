import NIOCore

/// The connections of one kind that are counted in, what each makes the gateway keep, and which of them gives way first.
///
/// The order: of the address with the most unfinished connections (nothing whole has come, or idle) the oldest; then one of the address
/// with the most bytes. The only unfinished connection of an address has two seconds, within which it gives way to none but the first
/// connection of another address, when nothing else does: a handshake takes milliseconds, and floods would not let one come to its end.
struct ConnectionTable {
    private static let handshakeTime = TimeAmount.seconds(2)

    private enum Stage {
        /// Nothing whole has come.
        case unfinished
        /// Something whole came once, and nothing is under way.
        case idle
        case finished
        /// It was told to end, and counts until it is gone.
        case leaving

        var givesWay: Bool { self == .unfinished || self == .idle }
    }

    private struct Member {
        let block: AddressBlock
        let evict: @Sendable () -> Void
        var stage = Stage.unfinished
        /// Grows with each connection, and when one becomes idle.
        var order: UInt64
        let since: NIODeadline
        var bytes: Int
        /// Whether it has charged anything beyond what it cost at first.
        var isUsed = false
    }

    /// What one address has.
    struct Tally {
        /// All its connections.
        var count = 0
        /// Those that give way.
        var unfinished = 0
        /// Those that were told to end.
        var leaving = 0
        /// What all of them make the gateway keep.
        var bytes = 0
    }

    private var members: [UInt64: Member] = [:]
    private var tallies: [AddressBlock: Tally] = [:]
    private var nextNumber: UInt64 = 0
    /// What those make the gateway keep that were told to end.
    private(set) var leavingBytes = 0
    /// How many were told to end and are not gone.
    private(set) var leaving = 0
    /// How many give way.
    private(set) var unfinished = 0
    /// What all make the gateway keep, also those that were told to end.
    private(set) var bytes = 0

    /// How many there are, also those that were told to end.
    var count: Int { self.members.count }
    /// How many will stay.
    var staying: Int { self.members.count - self.leaving }
    /// What those make the gateway keep that will stay.
    var stayingBytes: Int { self.bytes - self.leavingBytes }

    subscript(block: AddressBlock) -> Tally { self.tallies[block] ?? Tally() }

    // MARK: Life

    /// Counts a connection in.
    /// - Returns: its number.
    mutating func insert(
        _ block: AddressBlock, bytes: Int, at now: NIODeadline, evict: @escaping @Sendable () -> Void
    ) -> UInt64 {
        let number = self.next()
        self.members[number] = Member(block: block, evict: evict, order: number, since: now, bytes: bytes)
        self.unfinished += 1
        self.bytes += bytes
        self.tallies[block, default: Tally()].count += 1
        self.tallies[block]?.unfinished += 1
        self.tallies[block]?.bytes += bytes
        return number
    }

    /// Something whole has come; one that was told to end ends all the same.
    mutating func finish(_ number: UInt64) {
        guard self.members[number]?.stage.givesWay == true else { return }
        self.leaveStage(number)
        self.members[number]?.stage = .finished
    }

    /// Nothing is under way any more.
    mutating func rest(_ number: UInt64) {
        guard let member = self.members[number], member.stage == .finished else { return }
        let order = self.next()
        self.members[number]?.stage = .idle
        self.members[number]?.order = order
        self.unfinished += 1
        self.tallies[member.block]?.unfinished += 1
    }

    /// It is gone.
    mutating func remove(_ number: UInt64) {
        guard self.members[number] != nil else { return }
        self.leaveStage(number)
        guard let member = self.members.removeValue(forKey: number) else { return }
        self.bytes -= member.bytes
        self.tallies[member.block]?.bytes -= member.bytes
        self.tallies[member.block]?.count -= 1
        if self.tallies[member.block]?.count == 0 { self.tallies[member.block] = nil }
    }

    /// Adds to what it makes the gateway keep, or takes away from it.
    mutating func charge(_ number: UInt64, _ bytes: Int) {
        guard let member = self.members[number] else { return }
        self.members[number]?.bytes += bytes
        self.members[number]?.isUsed = true
        self.bytes += bytes
        if member.stage == .leaving { self.leavingBytes += bytes }
        self.tallies[member.block]?.bytes += bytes
    }

    /// Whose it is; nil when it is gone, or was told to end.
    func block(of number: UInt64) -> AddressBlock? {
        guard let member = self.members[number], member.stage != .leaving else { return nil }
        return member.block
    }

    private mutating func next() -> UInt64 {
        self.nextNumber += 1
        return self.nextNumber
    }

    private mutating func leaveStage(_ number: UInt64) {
        guard let member = self.members[number] else { return }
        switch member.stage {
        case .unfinished, .idle:
            self.unfinished -= 1
            self.tallies[member.block]?.unfinished -= 1
        case .leaving:
            self.leaving -= 1
            self.leavingBytes -= member.bytes
            self.tallies[member.block]?.leaving -= 1
        case .finished: break
        }
    }

    // MARK: Giving way

    /// The first to make room for a connection of an address, or for more that one keeps; nil when none gives way to it.
    func victim(for block: AddressBlock, at now: NIODeadline) -> UInt64? {
        if let unfinished = self.overdue(at: now) { return unfinished }
        return self.heaviest(beside: block) ?? (self[block].count == 0 ? self.oldestUnfinished : nil)
    }

    /// The oldest unfinished one of the address that has the most of them, unless it is the only one there and has time left.
    func overdue(at now: NIODeadline) -> UInt64? {
        guard let unfinished = self.oldestUnfinished, let member = self.members[unfinished],
            self[member.block].unfinished > 1 || now - member.since >= Self.handshakeTime
        else { return nil }
        return unfinished
    }

    /// The oldest unfinished one of the address that has the most of them; nil for none.
    private var oldestUnfinished: UInt64? {
        guard self.unfinished > 0, let most = self.tallies.values.map(\.unfinished).max() else { return nil }
        return self.oldest { $0.stage.givesWay && self[$0.block].unfinished == most }
    }

    /// The oldest of an address from which nothing whole has come, if it has at least so many; nil otherwise.
    func oldestStranger(of block: AddressBlock, beyond most: Int) -> UInt64? {
        guard self[block].unfinished >= most else { return nil }
        let isStranger: (Member) -> Bool = { $0.block == block && $0.stage == .unfinished }
        guard self.members.values.count(where: isStranger) >= most else { return nil }
        return self.oldest(where: isStranger)
    }

    /// One of the address with the most bytes among those that have at least twice the connections that another would have with one more.
    private func heaviest(beside block: AddressBlock) -> UInt64? {
        let least = 2 * (self[block].count + 1)
        let most = self.tallies.filter { $0.key != block && $0.value.count - $0.value.leaving >= least }
            .max { ($0.value.bytes, $0.value.count) < ($1.value.bytes, $1.value.count) }
        guard let most else { return nil }
        let isItsOwn: (Member) -> Bool = { $0.block == most.key && $0.stage != .leaving }
        return self.oldest { isItsOwn($0) && !$0.isUsed } ?? self.oldest(where: isItsOwn)
    }

    private func oldest(where isMeant: (Member) -> Bool) -> UInt64? {
        var oldest: (number: UInt64, order: UInt64)?
        for (number, member) in self.members where isMeant(member) {
            if let known = oldest, known.order < member.order { continue }
            oldest = (number, member.order)
        }
        return oldest?.number
    }

    /// Notes that one is told to end.
    /// - Returns: what tells it.
    mutating func takeOut(_ number: UInt64) -> (@Sendable () -> Void)? {
        guard let member = self.members[number], member.stage != .leaving else { return nil }
        self.leaveStage(number)
        self.members[number]?.stage = .leaving
        self.leaving += 1
        self.leavingBytes += member.bytes
        self.tallies[member.block]?.leaving += 1
        return member.evict
    }
}
