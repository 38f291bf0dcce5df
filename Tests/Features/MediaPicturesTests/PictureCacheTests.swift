import NIOCore
import Testing

@testable import MediaPictures

@Suite struct PictureCacheTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private var book = PictureCache()

    init() {
        _ = self.book.follow(PicturesConfiguration())
    }

    private func jobs(_ actions: [PictureCache.Action]) -> [PictureCache.Job] {
        actions.compactMap { if case .fetch(let job) = $0 { job } else { nil } }
    }

    private func answers(_ actions: [PictureCache.Action]) -> [(waiters: [Int], outcome: PictureCache.Outcome)] {
        actions.compactMap { if case .answer(let waiters, let outcome) = $0 { (waiters, outcome) } else { nil } }
    }

    private func codes(_ actions: [PictureCache.Action]) -> [PictureFault.Code] {
        self.answers(actions).compactMap { if case .failure(let fault) = $0.outcome { fault.code } else { nil } }
    }

    private func picture(_ filling: Int = 0) throws -> Picture { try Picture(Sample.png(filling: filling)) }

    /// Asks for a picture that is fetched at once.
    private mutating func fetch(_ address: String, _ outcome: PictureCache.Outcome, at now: NIODeadline) throws {
        let asked = self.book.ask(address, waiter: 0, now: now)
        let job = try #require(self.jobs(asked).first, "\(address) is fetched")
        _ = self.book.ended(job, outcome, now: now)
    }

    @Test mutating func aPictureIsFetchedOnceForAll() throws {
        let first = self.book.ask("https://m.example/a", waiter: 1, now: Self.start)
        let job = try #require(self.jobs(first).first)
        for waiter in 2...1000 {
            let actions = self.book.ask("https://m.example/a", waiter: waiter, now: Self.start)
            #expect(actions.isEmpty)
        }
        let picture = try self.picture()
        let ended = self.answers(self.book.ended(job, .success(picture), now: Self.start))
        #expect(ended.map(\.waiters) == [Array(1...1000)])
        let later = self.answers(self.book.ask("https://m.example/a", waiter: 1001, now: Self.start))
        #expect(later.map(\.waiters) == [[1001]])
        #expect(self.book.counts.hits == 1 && self.book.counts.misses == 1000 && self.book.counts.fetched == 1)
    }

    @Test mutating func whatIsKeptGrowsOld() throws {
        let picture = try self.picture()
        try self.fetch("a", .success(picture), at: Self.start)
        try self.fetch("b", .failure(PictureFault(.status, "no")), at: Self.start)
        let early = self.book.ask("b", waiter: 1, now: Self.start + .seconds(29))
        #expect(self.codes(early) == [.status])
        let late = self.book.ask("b", waiter: 2, now: Self.start + .seconds(30))
        #expect(self.jobs(late).count == 1)
        let fresh = self.book.ask("a", waiter: 3, now: Self.start + .seconds(3599))
        #expect(self.jobs(fresh).isEmpty)
        let old = self.book.ask("a", waiter: 4, now: Self.start + .seconds(3600))
        #expect(self.jobs(old).count == 1)
    }

    @Test mutating func memoryIsBounded() throws {
        var configuration = PicturesConfiguration()
        configuration.total = 1 << 20
        _ = self.book.follow(configuration)
        let picture = try self.picture(100_000)
        for number in 0..<100 {
            // The first is used again and again, so it stays.
            if number > 0 {
                let first = self.book.ask("0", waiter: 1, now: Self.start)
                #expect(self.jobs(first).isEmpty, "picture \(number)")
            }
            try self.fetch("\(number)", .success(picture), at: Self.start)
            #expect(self.book.cost <= 1 << 20)
        }
        #expect(self.book.count > 3)
        self.book.clear()
        #expect(self.book.cost == 0 && self.book.count == 0)
        // One that is larger than all together is given, and not kept.
        try self.fetch("large", .success(try self.picture(2 << 20)), at: Self.start)
        #expect(self.book.count == 0)
    }

    @Test mutating func theNumberIsBounded() throws {
        for number in 0..<(PictureCache.mostEntries + 10) {
            try self.fetch("\(number)", .failure(PictureFault(.status, "no")), at: Self.start)
        }
        #expect(self.book.count == PictureCache.mostEntries)
        let gone = self.book.ask("3", waiter: 1, now: Self.start)
        #expect(self.jobs(gone).count == 1)
    }

    @Test mutating func notTooMuchIsUnderWay() throws {
        var running: [PictureCache.Job] = []
        for number in 0..<PictureCache.mostFetches + PictureCache.mostQueued {
            let actions = self.book.ask("\(number)", waiter: number, now: Self.start)
            #expect(self.answers(actions).isEmpty)
            running += self.jobs(actions)
        }
        #expect(running.count == PictureCache.mostFetches)
        let beyond = self.book.ask("beyond", waiter: 1000, now: Self.start)
        #expect(self.codes(beyond) == [.busy])
        // One that is asked for already costs nothing.
        let again = self.book.ask("0", waiter: 1001, now: Self.start)
        #expect(self.answers(again).isEmpty)
        let picture = try self.picture()
        let next = self.jobs(self.book.ended(running[0], .success(picture), now: Self.start))
        #expect(next.map(\.address) == ["\(PictureCache.mostFetches)"])
        let after = self.book.ask("beyond", waiter: 1002, now: Self.start)
        #expect(self.answers(after).isEmpty)
    }

    @Test mutating func anotherConfigurationForgetsAll() throws {
        try self.fetch("a", .success(try self.picture()), at: Self.start)
        let asked = self.book.ask("b", waiter: 1, now: Self.start)
        let job = try #require(self.jobs(asked).first)
        let same = self.book.follow(PicturesConfiguration())
        #expect(same.isEmpty && self.book.count == 1)
        var other = PicturesConfiguration()
        other.allowsPrivate = true
        let changed = self.book.follow(other)
        #expect(self.answers(changed).map(\.waiters) == [[1]])
        #expect(self.book.count == 0)
        // What the old rules led to is not kept.
        let late = self.book.ended(job, .success(try self.picture()), now: Self.start)
        #expect(self.answers(late).isEmpty && self.book.count == 0)
        _ = self.book.follow(nil)
        let off = self.book.ask("a", waiter: 2, now: Self.start)
        #expect(self.codes(off) == [.ended])
    }

    @Test mutating func whatSaysNothingOfThePictureIsNotKept() throws {
        try self.fetch("a", .failure(PictureFault(.ended, "stops")), at: Self.start)
        #expect(self.book.count == 0)
        let long = self.book.ask(String(repeating: "a", count: 5000), waiter: 1, now: Self.start)
        #expect(self.codes(long) == [.malformed])
    }
}
