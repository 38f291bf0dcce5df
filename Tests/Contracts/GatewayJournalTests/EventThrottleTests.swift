import CastWire
import GatewayCore
import GatewayOperations
import NIOCore
import Testing

@testable import GatewayJournal

/// Peers that cause events without end, and readers that look at much.
@Suite(.timeLimit(.minutes(1))) struct EventThrottleTests {
    private let bench = JournalBench()

    private static func rejected(_ address: String?, reason: String = "NOT_ALLOWED") -> GatewayEvent {
        .messageRejected(device: "hall", handler: "rules", reason: reason, address: address)
    }

    private func told(_ reader: BenchReader) -> [JSONObject] {
        reader.frames().filter { $0.kind == .event }.map(BenchReader.json)
    }

    private static func counts(_ events: [JSONObject]) -> [Int] {
        events.map { $0.object("data")?.int("count") ?? 1 }
    }

    @Test func aSourceHasSoManyEventsAMinuteAndTheNextCountsTheOthers() throws {
        let reader = try self.bench.reader()
        for _ in 0..<1000 { self.bench.publish(Self.rejected("192.0.2.6")) }
        #expect(Self.counts(self.told(reader)) == Array(repeating: 1, count: EventThrottle.eventsPerMinute))
        // Other sources, other reasons, and what is no peer's doing are told as ever.
        self.bench.publish(
            Self.rejected("192.0.2.7"), Self.rejected("192.0.2.6", reason: "OVERLOADED"), Self.rejected(nil),
            .sessionEnded(device: "hall", sessionID: "s", reason: "stopped"))
        #expect(self.told(reader).count == 4)
        self.bench.pass(.minutes(1))
        self.bench.publish(Self.rejected("192.0.2.6"), Self.rejected("192.0.2.6"))
        #expect(Self.counts(self.told(reader)) == [941, 1])
        #expect(self.bench.journal.counts.leftOut == 940)
        // Numbers are given to what is told.
        #expect(self.bench.journal.counts.logs == 66)
    }

    @Test func aConnectionIsToldFromItsBeginningToItsEndOrNotAtAll() throws {
        let reader = try self.bench.reader()
        for number in 1...100 {
            let id = ConnectionID(rawValue: UInt64(number))
            self.bench.publish(.senderConnected(device: "hall", connection: id, address: "192.0.2.6"))
            if number.isMultiple(of: 2) {
                self.bench.publish(.senderDisconnected(device: "hall", connection: id, reason: "closed"))
            }
        }
        for number in stride(from: 1, through: 100, by: 2) {
            self.bench.publish(
                .senderDisconnected(
                    device: "hall", connection: ConnectionID(rawValue: UInt64(number)), reason: "closed"))
        }
        let events = self.told(reader)
        let numbers = { (type: String) in
            events.filter { $0.string("type") == type }.compactMap { $0.object("data")?.int("connection") }.sorted()
        }
        #expect(numbers("sender.connected") == Array(1...60))
        #expect(numbers("sender.disconnected") == Array(1...60))
        self.bench.pass(.minutes(1))
        self.bench.publish(
            .senderConnected(device: "hall", connection: ConnectionID(rawValue: 101), address: "192.0.2.6"))
        #expect(Self.counts(self.told(reader)) == [41])
    }

    /// A flood neither shortens the history nor fills what waits for the journal's thread.
    @Test func aFloodLeavesTheHistoryToOthers() throws {
        let bench = JournalBench { limits in
            limits.history = 256 << 10
            limits.backlog = 128 << 10
        }
        bench.publish(.sessionEnded(device: "hall", sessionID: "first", reason: "stopped"))
        for _ in 0..<100_000 { bench.events.publish(Self.rejected("192.0.2.6")) }
        bench.publish(.sessionEnded(device: "hall", sessionID: "last", reason: "stopped"))
        let events = self.told(try bench.reader(from: JournalPosition(boot: "b1", seq: 0)))
        #expect(events.count == EventThrottle.eventsPerMinute + 2)
        #expect(events.first?.object("data")?.string("session_id") == "first")
        #expect(bench.journal.counts.lost == 0)
    }

    // MARK: While the store is held

    /// The journal waits for a reader that looks at much only as long as 256 steps take.
    @Test func aSnapshotOfManyResourcesIsTakenInSteps() throws {
        let count = 10_000
        for number in 1...count { self.bench.publish(.virtualDeviceAdded(device: "hall-\(number)")) }
        let feed = try self.bench.reader(EventTopics([.init(type: DevicePattern("plugin.*"))])).feed
        var state = FeedState(
            EventTopics([.init(type: DevicePattern("plugin.*"))]), for: .admin, from: nil,
            in: self.bench.journal.withStore { $0 }, features: [], limits: JournalLimits(), at: .uptimeNanoseconds(0))
        // The order is made without the store.
        let view = try #require(state.view)
        state.arrange(view.keys)
        var (turns, frames) = (0, 0)
        while true {
            turns += 1
            let (some, isDone) = self.bench.journal.withStore {
                state.take(upTo: .max, from: &$0, at: .uptimeNanoseconds(0))
            }
            frames += some.count
            if isDone { break }
        }
        #expect(turns == count / FeedState.steps + 1)
        #expect(frames == 2)
        // A reader does not notice.
        #expect(BenchReader(feed: feed).take() == ["hello \(count) 1", "synced \(count)"])
        #expect(try self.bench.reader().take().count == count + 2)
    }
}
