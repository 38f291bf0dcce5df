import CastTransport
import NIOCore
import Synchronization
import Testing

/// What connections make the gateway keep, and which of them gives way.
@Suite struct ConnectionBudgetTests {
    private final class Evicted: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { self.names.withLock { $0 } }
        func put(_ name: String) { self.names.withLock { $0.append(name) } }
    }

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let evicted = Evicted()

    private func limiter(total: Int = 1000, bytes: Int, perAddress: Int? = nil) -> ConnectionLimiter {
        var limits = ConnectionLimits(total: total, perAddress: total)
        limits.bytes = bytes
        limits.bytesPerAddress = perAddress
        return ConnectionLimiter(limits)
    }

    private func admit(
        _ limiter: ConnectionLimiter, _ address: String, _ bytes: Int, as name: String? = nil
    ) throws -> ConnectionAdmission {
        try limiter.admit(address, bytes: bytes, at: self.start) { [evicted] in evicted.put(name ?? address) }
    }

    @Test func theSharesAreTheBudgetAndNoMore() {
        #expect(PeerBudget.Part.allCases.reduce(0) { $0 + $1.weight } == 32)
        for memory in [64 << 20, 512 << 20, 3 << 30] {
            let budget = PeerBudget(halfOf: memory)
            let shares = PeerBudget.Part.allCases.reduce(0) { $0 + budget.share(of: $1) }
            #expect(shares <= budget.bytes && budget.bytes <= memory / 2)
            #expect(PeerBudget.Part.allCases.allSatisfy { budget.addressShare(of: $0) <= budget.share(of: $0) })
        }
        #expect(PeerBudget(halfOf: 1 << 50).bytes == 4 << 30)
        #expect(PeerBudget(halfOf: 0).bytes == PeerBudget.minimum)
    }

    @Test func theOldestWithoutACompleteRequestGivesWay() throws {
        let limiter = self.limiter(bytes: 300)
        let known = try self.admit(limiter, "known", 100)
        known.secured()
        let first = try self.admit(limiter, "first", 100)
        _ = try self.admit(limiter, "second", 100)
        #expect(self.evicted.all.isEmpty)
        let third = try self.admit(limiter, "third", 100)
        #expect(self.evicted.all == ["first"])
        // Those that were told to end are waited for when they are many.
        #expect(throws: ConnectionLimiter.Refusal.tooManyBytes) { try self.admit(limiter, "fourth", 100) }
        #expect(self.evicted.all == ["first"])
        first.release()
        #expect(limiter.bytes == 300)
        third.secured()
        #expect(limiter.unfinishedCount == 1)
    }

    @Test func whatIsChargedLaterCountsAsWell() throws {
        let limiter = self.limiter(bytes: 1000)
        let reader = try self.admit(limiter, "reader", 100)
        reader.secured()
        let stranger = try self.admit(limiter, "stranger", 100)
        #expect(reader.charge(800))
        // The stranger gives way to one that is known, also when it would need the room itself.
        #expect(!stranger.charge(100))
        #expect(self.evicted.all.isEmpty)
        #expect(reader.charge(100))
        #expect(self.evicted.all == ["stranger"])
        stranger.release()
        #expect(!reader.charge(1))
        reader.refund(500)
        #expect(reader.charge(400))
        #expect(limiter.bytes == 900)
        reader.release()
        reader.release()
        reader.refund(900)
        #expect(!reader.charge(1))
        #expect(limiter.bytes == 0 && limiter.count == 0)
    }

    @Test func oneAddressGetsItsShareOnAllDevicesTogether() throws {
        let limiter = self.limiter(bytes: 1000, perAddress: 250)
        let held = try (0..<2).map { _ in try self.admit(limiter, "a", 100) }
        for one in held { one.secured() }
        #expect(held[0].charge(50))
        #expect(!held[1].charge(1))
        #expect(throws: ConnectionLimiter.Refusal.tooManyBytesFromAddress) { try self.admit(limiter, "a", 100) }
        _ = try self.admit(limiter, "b", 100)
        #expect(self.evicted.all.isEmpty)
    }

    @Test func theAddressWithTheMostGivesWayToOneWithLess() throws {
        let limiter = self.limiter(total: 8, bytes: 10_000)
        for number in 0..<6 { try self.admit(limiter, "flood", 100, as: "flood \(number)").secured() }
        for number in 0..<2 { try self.admit(limiter, "home", 100, as: "home \(number)").secured() }
        let third = try self.admit(limiter, "home", 100, as: "home 2")
        #expect(self.evicted.all == ["flood 0"])
        third.secured()
        // Nothing is won by coming again.
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try self.admit(limiter, "flood", 100) }
        try self.admit(limiter, "guest", 100, as: "guest").secured()
        #expect(self.evicted.all == ["flood 0", "flood 1"])
    }

    @Test func whoWasNeverOfUseGivesWayFirst() throws {
        let limiter = self.limiter(total: 4, bytes: 10_000)
        let held = try (0..<4).map {
            let one = try self.admit(limiter, "flood", 100, as: "\($0)")
            one.secured()
            return one
        }
        #expect(held[0].charge(10) && held[1].charge(10))
        _ = try self.admit(limiter, "home", 100)
        #expect(self.evicted.all == ["2"])
    }

    @Test func aFloodDoesNotEndTheHandshakesOfOthers() throws {
        let limiter = self.limiter(total: 20, bytes: 10_000)
        _ = try self.admit(limiter, "home", 100)
        for number in 0..<14 { _ = try self.admit(limiter, "flood \(number % 2)", 100) }
        #expect(self.evicted.all.count == 5 && !self.evicted.all.contains("home"))
        // What was told to end is still there: those that flood wait for it, and others do not.
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try self.admit(limiter, "flood 0", 100) }
        for guest in 0..<3 { _ = try self.admit(limiter, "guest \(guest)", 100) }
    }

    /// Many addresses with one connection each do not end handshakes before their time, while there is room.
    @Test func manyAddressesDoNotEndEachOthersHandshakes() throws {
        let limiter = self.limiter(total: 20, bytes: 10_000)
        _ = try self.admit(limiter, "home", 100)
        for number in 0..<16 { _ = try self.admit(limiter, "flood \(number)", 100) }
        #expect(self.evicted.all.isEmpty)
        _ = try limiter.admit("guest", at: self.start + .seconds(2))
        #expect(self.evicted.all == ["home"])
    }

    /// Where all else is in use by one address, those that come do not end each other's handshakes.
    @Test func aHandshakeHasTwoSeconds() throws {
        let limiter = self.limiter(total: 10, bytes: 10_000)
        for number in 0..<9 { try self.admit(limiter, "hog", 100, as: "hog \(number)").secured() }
        _ = try self.admit(limiter, "home", 100)
        _ = try self.admit(limiter, "guest", 100)
        #expect(self.evicted.all == ["hog 0"])
        #expect(throws: ConnectionLimiter.Refusal.tooManyInTotal) { try self.admit(limiter, "hog", 100) }
        let later = self.start + .seconds(2)
        _ = try limiter.admit("hog", at: later)
        #expect(self.evicted.all == ["hog 0", "home"])
    }

    /// A body that is kept, as well as a connection.
    @Test func whoHasLittleMayHaveMoreWhereOneHasAll() throws {
        let limiter = self.limiter(bytes: 1600)
        let small = try self.admit(limiter, "small", 100)
        small.secured()
        for number in 0..<5 {
            let hog = try self.admit(limiter, "hog", 100, as: "hog \(number)")
            hog.secured()
            #expect(hog.charge(200))
        }
        #expect(small.charge(100))
        #expect(self.evicted.all == ["hog 0"])
    }

    @Test func nothingIsLeftWhenAllHaveGone() throws {
        let limiter = self.limiter(total: 50, bytes: 5000, perAddress: 2000)
        var random = SystemRandomNumberGenerator()
        var held: [ConnectionAdmission] = []
        for _ in 0..<5000 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let address = "a\(Int.random(in: 0..<9, using: &random))"
                if let made = try? self.admit(limiter, address, Int.random(in: 0..<200, using: &random)) {
                    held.append(made)
                }
            case 2: held.randomElement(using: &random)?.secured()
            case 3: held.randomElement(using: &random)?.idle()
            case 4:
                guard let one = held.randomElement(using: &random) else { break }
                let bytes = Int.random(in: 0..<500, using: &random)
                if one.charge(bytes), Bool.random(using: &random) { one.refund(bytes) }
            default:
                guard !held.isEmpty else { break }
                held.remove(at: Int.random(in: 0..<held.count, using: &random)).release()
            }
            #expect(limiter.bytes <= 5000 + 5000 / 8 + 700)
            #expect(limiter.count == held.count)
        }
        for one in held { one.release() }
        #expect(limiter.bytes == 0 && limiter.count == 0 && limiter.unfinishedCount == 0)
    }

    @Test func halfRequestsOfManyAddressesKeepNoCallerOut() throws {
        let limits = ConnectionLimits(total: 64, perAddress: 16, newPerSecond: 10, unfinishedPerAddress: 16)
        let limiter = ConnectionLimiter(limits)
        var held: [String: ConnectionAdmission] = [:]
        for number in 0..<64 {
            let name = "half \(number)"
            held[name] = try self.admit(limiter, "\(number % 16)", 0, as: name)
            for evicted in self.evicted.all { held.removeValue(forKey: evicted)?.release() }
        }
        let honest = try self.admit(limiter, "honest", 0, as: "honest")
        honest.secured()
        #expect(!self.evicted.all.isEmpty && self.evicted.all.allSatisfy { $0.hasPrefix("half") })
    }
}
