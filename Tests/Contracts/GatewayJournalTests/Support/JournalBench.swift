import CastWire
import GatewayCore
import GatewayOperations
import Logging
import NIOCore
import Synchronization

@testable import GatewayJournal

/// A journal without a thread: the test says when it works, and what time it is.
final class JournalBench: Sendable {
    let events = EventBus()
    let journal: EventJournal
    private let clock: TimeOfTest

    init(boot: String = "b1", _ configure: (inout JournalLimits) -> Void = { _ in }) {
        var limits = JournalLimits()
        configure(&limits)
        let time = TimeOfTest()
        self.clock = time
        self.journal = EventJournal(
            events: self.events, boot: boot, limits: limits,
            clock: JournalClock(
                wall: { time.milliseconds }, now: { .uptimeNanoseconds(UInt64(time.milliseconds) * 1_000_000) }),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        self.journal.attach()
    }

    /// Publishes events, and has them told.
    func publish(_ events: GatewayEvent...) {
        for event in events { self.events.publish(event) }
        self.journal.drain()
    }

    /// Lets time pass.
    func pass(_ time: TimeAmount) {
        self.clock.advance(by: time)
        self.journal.tick()
    }

    /// A reader of everything.
    func reader(
        _ topics: EventTopics = .all, from position: JournalPosition? = nil, for caller: Caller = .admin
    ) throws -> BenchReader {
        BenchReader(feed: try self.journal.feed(to: topics, from: position, for: caller) {})
    }
}

/// The test's clock.
private final class TimeOfTest: Sendable {
    private let time = Mutex<Int64>(1_700_000_000_000)

    var milliseconds: Int64 { self.time.withLock { $0 } }

    func advance(by amount: TimeAmount) { self.time.withLock { $0 += amount.nanoseconds / 1_000_000 } }
}

/// A reader that takes frames and reads them.
struct BenchReader {
    let feed: JournalFeed

    /// Everything that can be taken now, as text in short: `hello`, `session.did_start 4`, `gap 5-7 (3)`.
    func take(upTo bytes: Int = .max) -> [String] { self.frames(upTo: bytes).map(Self.short) }

    /// Everything that can be taken now.
    func frames(upTo bytes: Int = .max) -> [JournalFrame] {
        var frames: [JournalFrame] = []
        while true {
            let some = self.feed.take(upTo: bytes)
            if some.isEmpty { return frames }
            frames += some
        }
    }

    /// The JSON of a frame.
    static func json(_ frame: JournalFrame) -> JSONObject {
        (try? JSONReader.read(frame.bytes))?.objectValue ?? [:]
    }

    private static func short(_ frame: JournalFrame) -> String {
        let json = Self.json(frame)
        switch frame.kind {
        case .hello: return "hello \(json.int("seq") ?? -1) \(json.int("oldest") ?? -1)"
        case .synced, .bookmark: return "\(frame.kind) \(json.int("seq") ?? -1)"
        case .event: return "\(json.string("type") ?? "") \(json.int("seq") ?? -1)"
        case .snapshot: return "snapshot \(json.string("type") ?? "") \(json.int("seq") ?? -1)"
        case .coalesced: return "coalesced \(json.int("count") ?? -1)"
        case .gap: return "gap \(json.int("from") ?? -1)-\(json.int("to") ?? -1) (\(json.int("count") ?? -1))"
        case .resync: return "resync \(json.string("reason") ?? "")"
        }
    }
}
