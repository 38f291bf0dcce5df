import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayOperations
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import GatewayJournal

/// The journal on its own thread, with publishers on others.
@Suite(.timeLimit(.minutes(1))) struct JournalThreadTests {
    private let events = EventBus()

    private func journal(_ configure: (inout JournalLimits) -> Void = { _ in }) -> EventJournal {
        var limits = JournalLimits()
        configure(&limits)
        let journal = EventJournal(
            events: self.events, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        journal.attach()
        return journal
    }

    private func run(_ journal: EventJournal, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await JournalService(journal).run() }
            try await body()
            group.cancelAll()
        }
    }

    @Test func publishersKeepTheirOrderAndNumbersHaveNoHole() async throws {
        let journal = self.journal { $0.clientBudget = 64 << 20 }
        try await self.run(journal) {
            let wakes = Inbox<Void>()
            let feed = try journal.feed(to: .all, from: nil, for: .admin) { wakes.put(()) }
            let events = self.events
            let (publishers, each) = (4, 2500)
            await withTaskGroup(of: Void.self) { group in
                for publisher in 0..<publishers {
                    group.addTask {
                        for number in 1...each {
                            events.publish(.senderThrottled(device: "p\(publisher)", address: "a", count: number))
                        }
                    }
                }
            }
            var next = Array(repeating: 1, count: publishers)
            var seq = 0
            while seq < publishers * each {
                let frames = feed.take(upTo: 64 << 10)
                if frames.isEmpty { _ = await wakes.next() }
                for json in frames.map(BenchReader.json) where json["frame"] == nil {
                    seq += 1
                    #expect(json.int("seq") == seq)
                    let publisher = Int(json.string("device")?.dropFirst() ?? "") ?? 0
                    #expect(json.object("data")?.int("count") == next[publisher])
                    next[publisher] += 1
                }
            }
            #expect(next == Array(repeating: each + 1, count: publishers))
        }
    }

    @Test func aReaderIsWokenAgainOnALongWayWithoutAnythingForIt() async throws {
        let journal = self.journal()
        for number in 1...(3 * FeedState.steps) {
            self.events.publish(.senderThrottled(device: "hall", address: "a", count: number))
        }
        journal.drain()
        try await self.run(journal) {
            // Its thread runs as soon as it wakes a reader.
            let told = Inbox<Void>()
            let first = try journal.feed(to: .all, from: nil, for: .admin) { told.put(()) }
            while !first.take(upTo: .max).isEmpty {}
            self.events.publish(.deviceListWillUpdate)
            _ = await told.next()
            let wakes = Inbox<Void>()
            let topics = EventTopics([.init(type: DevicePattern("plugin.*"))])
            let feed = try journal.feed(to: topics, from: JournalPosition(boot: journal.boot, seq: 0), for: .admin) {
                wakes.put(())
            }
            var (kinds, empty) = ([JournalFrame.Kind](), 0)
            while !kinds.contains(.synced) {
                let frames = feed.take(upTo: .max)
                kinds += frames.map(\.kind)
                if frames.isEmpty {
                    empty += 1
                    _ = await wakes.next()
                }
            }
            #expect(kinds == [.hello, .synced])
            #expect(empty > 0)
        }
    }

    @Test func whatHappensBeforeTheThreadRunsIsToldToo() async throws {
        let journal = self.journal()
        self.events.publish(.deviceListWillUpdate)
        let wakes = Inbox<Void>()
        let feed = try journal.feed(to: .all, from: JournalPosition(boot: journal.boot, seq: 0), for: .admin) {
            wakes.put(())
        }
        try await self.run(journal) {
            var types: [String] = []
            while types.isEmpty {
                let frames = feed.take(upTo: .max)
                if frames.isEmpty { _ = await wakes.next() }
                types += frames.compactMap { BenchReader.json($0).string("type") }
            }
            #expect(types == ["device.list_will_update"])
        }
        // The service has ended, and so has the feed.
        while !feed.take(upTo: .max).isEmpty {}
        #expect(feed.end?.reason == "stopping")
    }

    @Test func aThreadThatIsBehindLosesWithAWord() throws {
        let journal = self.journal { $0.backlog = 64 << 10 }
        let feed = try journal.feed(to: .all, from: nil, for: .admin) {}
        for number in 1...1000 {
            self.events.publish(.senderThrottled(device: "hall", address: "a", count: number))
            self.events.publish(.receiverStatus(device: "hall", status: ["number": .number(number)]))
        }
        journal.drain()
        let frames = BenchReader(feed: feed).frames().map(BenchReader.json)
        let told = frames.filter { $0["frame"] == nil }
        let gaps = frames.filter { $0.string("frame") == "gap" }
        #expect(told.count < 200)
        #expect(told.count + gaps.reduce(0) { $0 + ($1.int("count") ?? 0) } == 2000)
        // The latest value is there all the same.
        let state = told.last { $0.string("type") == "receiver.status" }
        #expect(state?.object("data")?.object("status")?.int("number") == 1000)
    }
}
