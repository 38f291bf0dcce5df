import CastwayTestSupport
import GRDB
import GatewayCore
import GatewayJournal
import Glibc
import Logging
import NIOCore
import Synchronization
import Testing

@testable import MessageBridges

/// The outbox with its real database and thread.
@Suite(.timeLimit(.minutes(1))) struct OutboxTests {
    /// Takes note of what it is to carry, and leaves the outcome to the test.
    private final class Carrier: MessageCarrier {
        struct Carried: Sendable {
            let message: OutboxMessage
            let completion: @Sendable (DeliveryOutcome) -> Void
        }

        let inbox = CastwayTestSupport.Inbox<Carried>()
        private let outcome: DeliveryOutcome?

        /// - Parameter outcome: of everything, at once.
        init(_ outcome: DeliveryOutcome? = nil) { self.outcome = outcome }

        func begin(_ resume: @escaping @Sendable () -> Void) {}

        func carry(_ message: OutboxMessage, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
            self.inbox.put(Carried(message: message, completion: completion))
            if let outcome { completion(outcome) }
        }

        func next() async throws -> Carried { try #require(await self.inbox.next()) }
    }

    /// Gives the first message back, and can be reached again before the outbox has heard of that.
    private final class Returning: MessageCarrier {
        let inbox = CastwayTestSupport.Inbox<String>()
        private let resume = Mutex<(@Sendable () -> Void)?>(nil)
        private let count = Mutex(0)

        func begin(_ resume: @escaping @Sendable () -> Void) { self.resume.withLock { $0 = resume } }

        func carry(_ message: OutboxMessage, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
            self.inbox.put(message.id)
            let count = self.count.withLock { count in
                count += 1
                return count
            }
            guard count == 1 else { return completion(.delivered) }
            self.resume.withLock { $0 }?()
            completion(.unavailable("the connection was lost"))
        }
    }

    private static func draft(_ text: String, device: String = "hall", to name: String = "webhook:a") -> OutboxDraft {
        OutboxDraft(
            to: name, device: device, type: "t", takenAt: JournalClock.system.wall(), size: text.utf8.count,
            body: { ByteBuffer(string: text) })
    }

    /// Runs an outbox over a file while the body does.
    private func run(
        _ path: String?, _ carrier: any MessageCarrier, clock: JournalClock = .system,
        change: (inout DestinationSettings) -> Void = { _ in },
        events: EventBus = EventBus(), _ body: (Outbox) async throws -> Void
    ) async throws {
        let outbox = Outbox(
            path: path, events: events, clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        outbox.setDestinations([
            Outbox.Destination("webhook:a", DestinationSettings(change), carrier: carrier)
        ])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run() }
            try await body(outbox)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func take(_ drafts: [OutboxDraft], _ outbox: Outbox) async -> Result<[String], Outbox.Refusal> {
        await withCheckedContinuation { continuation in
            do throws(Outbox.Refusal) {
                try outbox.take(drafts) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }

    @Test func whatWasTakenIsOnDiskBeforeItIsCarried() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox.db")
        let carrier = Carrier()
        try await self.run(path, carrier) { outbox in
            let ids = try await self.take([Self.draft("one")], outbox).get()
            let carried = try await carrier.next()
            #expect(carried.message.id == ids.first)
            let other = try DatabaseQueue(path: path)
            let count = try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM outbox_message") }
            #expect(count == 1)
            carried.completion(.delivered)
        }
    }

    /// The same ids, in order, by the next run; what was delivered does not come again.
    @Test func whatHasNotArrivedIsCarriedByTheNextRun() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox.db")
        var ids: [String] = []
        let first = Carrier()
        try await self.run(path, first) { outbox in
            ids = try await self.take([Self.draft("1"), Self.draft("2"), Self.draft("3")], outbox).get()
            let carried = try await first.next()
            carried.completion(.delivered)
            _ = try await first.next()
        }
        let second = Carrier(.delivered)
        try await self.run(path, second) { _ in
            var again: [String] = []
            for _ in 0..<2 { again.append(try await second.next().message.id) }
            #expect(again == Array(ids[1...]))
        }
        try await self.run(path, Carrier()) { outbox in
            let value1 = try await outbox.list(OutboxSelection(), limit: 10)
            #expect(value1 == [])
        }
    }

    /// Otherwise the next message would be carried before it. The clock stands still, so that no pause is ever over.
    @Test func whatComesBackIsKnownBeforeTheDestinationGoesOn() async throws {
        let carrier = Returning()
        let (now, wall) = (NIODeadline.now(), JournalClock.system.wall())
        let clock = JournalClock(wall: { wall }, now: { now })
        try await self.run(nil, carrier, clock: clock, change: { $0.order = .pipelined(window: 8) }) { outbox in
            let ids = try await self.take([Self.draft("1")], outbox).get()
            for _ in 0..<2 { #expect(await carrier.inbox.next() == ids[0]) }
        }
    }

    @Test func theFileIsItsOwnersAlone() async throws {
        let folder = try TemporaryFolder()
        let carrier = Carrier(.delivered)
        try await self.run(folder.file("outbox.db"), carrier) { outbox in
            _ = await self.take([Self.draft("secret")], outbox)
            _ = try await carrier.next()
            for name in ["outbox.db", "outbox.db-wal"] {
                var status = stat()
                #expect(lstat(folder.file(name), &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
            }
        }
    }

    @Test func thereIsNoFileBeforeADestinationNeedsIt() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox.db")
        let outbox = Outbox(path: path, events: EventBus(), logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run() }
            let listed = try await outbox.list(OutboxSelection(), limit: 1)
            #expect(listed == [])
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func whatDoesNotFitIsNotTakenAndCounted() async throws {
        let carrier = Carrier()
        try await self.run(nil, carrier, change: { $0.size = 1000 }) { outbox in
            let large = String(repeating: "x", count: 600)
            try outbox.take([Self.draft(large)])
            #expect(throws: Outbox.Refusal.full) { try outbox.take([Self.draft(large)]) }
            #expect(throws: Outbox.Refusal.unknownDestination) { try outbox.take([Self.draft("x", to: "webhook:b")]) }
            let carried = try await carrier.next()
            carried.completion(.delivered)
            // Once it has arrived there is room again.
            while outbox.standings["webhook:a"]?.delivered != 1 { await Task.yield() }
            try outbox.take([Self.draft(large)])
            #expect(outbox.standings["webhook:a"]?.overflowed == 1)
        }
    }

    @Test func deadLettersAreListedReplayedAndPurged() async throws {
        let carrier = Carrier()
        let events = EventBus()
        let subscription = events.subscribe { if case .bridge = $0 { true } else { false } }
        try await self.run(nil, carrier, change: { $0.retry = RetrySchedule([]) }, events: events) { outbox in
            let ids = try await self.take([Self.draft("{}")], outbox).get()
            try await carrier.next().completion(.refused("no"))
            var happened = subscription.events.makeAsyncIterator()
            let event = try #require(await happened.next())
            let id = try #require(ids.first)
            #expect(
                event
                    == .bridge(name: "webhook:a", .deadLetter(id: id, type: "t", device: "hall", reason: "no")))
            let dead = try #require(try await outbox.list(OutboxSelection(state: "dead"), limit: 10).first)
            #expect(dead.message.id == id && dead.state == "dead" && dead.reason == "no")
            let value3 = try await outbox.replay(OutboxSelection(destination: "webhook:a"))
            #expect(value3 == 1)
            let again = try await carrier.next()
            #expect(again.message.id == id && again.message.attempts == 0)
            again.completion(.refused("no"))
            _ = await happened.next()
            let value4 = try await outbox.purge(OutboxSelection(id: id))
            #expect(value4 == 1)
            let value5 = try await outbox.list(OutboxSelection(), limit: 10)
            #expect(value5 == [])
            #expect(outbox.standings["webhook:a"]?.dead == 0)
        }
    }

    /// It is put aside, so that an operator can look at it, and an empty one takes its place.
    @Test func aDamagedDatabaseIsPutAside() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "no database ", count: 1000), to: "outbox.db")
        let carrier = Carrier(.delivered)
        try await self.run(path, carrier) { outbox in
            _ = try await self.take([Self.draft("x")], outbox).get()
            _ = try await carrier.next()
            #expect(outbox.volatility == nil)
        }
        let names = try FileNames(in: path.dropLast("/outbox.db".count))
        #expect(names.all.contains { $0.hasPrefix("outbox.db.damaged-") })
    }

    @Test func whereNothingCanBeWrittenMessagesAreKeptInMemory() async throws {
        let carrier = Carrier(.delivered)
        try await self.run("/proc/castway/outbox.db", carrier) { outbox in
            _ = try await self.take([Self.draft("x")], outbox).get()
            _ = try await carrier.next()
            #expect(outbox.volatility != nil)
        }
    }
}

/// The names in a folder.
private struct FileNames {
    let all: [String]

    init(in folder: some StringProtocol) throws {
        let directory = try #require(opendir(String(folder)))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        self.all = names
    }
}
