import CastWire
import GatewayCore
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// What the journal costs: those who publish, its own thread, and each delivery. Prints lines for people.
@main
enum JournalBenchmark {
    private static let clock = ContinuousClock()
    private static let status: JSONObject = [
        "mediaSessionId": 1, "playerState": "PLAYING", "playbackRate": 1, "supportedMediaCommands": 274_447,
        "volume": ["level": 1, "muted": false], "repeatMode": "REPEAT_OFF",
        "media": [
            "contentId": "https://media.example.com/films/harbour/master.m3u8", "contentType": "application/x-mpegurl",
            "streamType": "BUFFERED", "duration": 5423.7,
            "metadata": ["metadataType": 0, "title": "Harbour", "subtitle": "Ten minutes of ships at dusk"],
        ],
    ]

    static func main() async throws {
        try await Self.publishing()
        try await Self.throughput()
        try await Self.deliveries()
    }

    private static func event(_ number: Int) -> GatewayEvent {
        .senderThrottled(device: "hall", address: "192.0.2.1", count: number)
    }

    private static func mediaEvent(_ number: Int) -> GatewayEvent {
        var status = Self.status
        status["currentTime"] = .number(number * 10)
        return .mediaStatus(device: "hall", transportID: "t", status: status)
    }

    private static func nanoseconds(_ duration: Duration, _ count: Int) -> String {
        let (seconds, attoseconds) = duration.components
        let value = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
        return "\((value * 10).rounded() / 10) ns"
    }

    private static func run(
        _ events: EventBus, _ configure: (inout JournalLimits) -> Void = { _ in },
        _ body: (EventJournal) async throws -> Void
    ) async throws {
        var limits = JournalLimits()
        configure(&limits)
        let journal = EventJournal(events: events, limits: limits, logger: Logger(label: "journal"))
        journal.attach()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await JournalService(journal).run() }
            try await body(journal)
            group.cancelAll()
        }
    }

    // MARK: Publishing

    private static func publishing() async throws {
        let events = EventBus()
        let made = (0..<200).map(Self.event)
        let message = CastMessage(
            source: "t", destination: "*", namespace: .media,
            payload: .json(["type": "MEDIA_STATUS", "requestId": 0, "status": [.object(Self.status)]]))
        let hall = DeviceFacts(name: "hall", target: "wall", description: Silent())
        func bursts(_ name: String, _ count: Int, pause: Duration, _ publish: (Int) -> Void) async throws {
            var total = Duration.zero
            for _ in 0..<500 {
                total += Self.clock.measure { for number in 0..<count { publish(number) } }
                try await Task.sleep(for: pause)
            }
            print("publish, \(name), bursts of \(count): \(Self.nanoseconds(total, 500 * count))")
        }
        try await bursts("no journal", 200, pause: .microseconds(10)) { events.publish(made[$0]) }
        try await Self.run(events) { _ in
            try await bursts("event", 200, pause: .milliseconds(2)) { events.publish(made[$0]) }
            try await bursts("event", 1, pause: .milliseconds(2)) { events.publish(made[$0]) }
            try await bursts("status message", 50, pause: .milliseconds(2)) { _ in
                events.publishStatus(message, of: hall)
            }
            let other = CastMessage(
                source: "t", destination: "*", namespace: "urn:x-cast:com.example", payload: .text("{}"))
            try await bursts("whether a message is wanted", 10_000, pause: .microseconds(10)) { _ in
                if events.wantsMessage(other.names) { print("wanted") }
            }
        }
    }

    private struct Silent: DeviceDescription {
        func deviceInformation(requestID: RequestID) -> JSONObject { [:] }
        func setupInformation(params: [String]?) -> JSONObject { [:] }
    }

    // MARK: Numbering and encoding

    private static func throughput() async throws {
        for (name, count, make) in [
            ("short events", 300_000, Self.event), ("media statuses of 500 bytes", 50_000, Self.mediaEvent),
        ] {
            let events = EventBus()
            let made = (0..<count).map(make)
            try await Self.run(events, { $0.backlog = 2 << 30 }) { journal in
                let seen = Atomic(0)
                let feed = try journal.subscribe(to: .all, from: nil, for: .admin) {
                    seen.store(1, ordering: .relaxed)
                }
                _ = feed.take(upTo: .max)
                var frames = 0
                let time = await Self.clock.measure {
                    for event in made { events.publish(event) }
                    while await journal.state(for: .none).int("seq") ?? 0 < count { await Task.yield() }
                }
                frames += feed.take(upTo: .max).count
                let (seconds, attoseconds) = time.components
                let rate = Double(count) / (Double(seconds) + Double(attoseconds) / 1e18)
                print("number and encode, \(name): \(Int(rate)) events/s")
                _ = frames
            }
        }
    }

    // MARK: Delivering

    private static func deliveries() async throws {
        let events = EventBus()
        let (readers, rounds, burst) = (1000, 50, 100)
        try await Self.run(events) { journal in
            var feeds: [any EventFeed] = []
            for _ in 0..<readers { feeds.append(try journal.subscribe(to: .all, from: nil, for: .admin) {}) }
            for feed in feeds { while !feed.take(upTo: .max).isEmpty {} }
            var delivered = 0
            let time = Self.clock.measure {
                for round in 0..<rounds {
                    for number in 0..<burst { events.publish(Self.mediaEvent(round * burst + number)) }
                    var left = readers * burst
                    while left > 0 {
                        for feed in feeds {
                            let count = feed.take(upTo: .max).count
                            left -= count
                            delivered += count
                        }
                    }
                }
            }
            let (seconds, attoseconds) = time.components
            let rate = Double(delivered) / (Double(seconds) + Double(attoseconds) / 1e18)
            print("deliver to \(readers) readers, \(burst) events at once: \(Int(rate)) deliveries/s")
        }
    }
}

extension Caller {
    /// Sees nothing, so that asking for the state costs nothing.
    fileprivate static let none = Caller(name: "none", scopes: [])
}
