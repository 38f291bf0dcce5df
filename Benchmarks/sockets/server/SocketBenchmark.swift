import CastTransport
import CastWire
import ControlAPI
import GatewayJournal
import GatewayOperations
import Glibc
import HTTPServing
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The socket of the API with a source of events at a steady rate: what a delivery costs, and what an idle client does.
///
/// `SocketBenchmark CLIENTS RATE SECONDS` prints `port N`, waits for CLIENTS subscriptions, and tells what the process has used: its
/// memory with the clients idle, and its time over SECONDS of RATE events a second to each of them.
@main
struct SocketBenchmark {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 3 else { fatalError("SocketBenchmark CLIENTS RATE SECONDS") }
        let (clients, rate, seconds) = (numbers[0], numbers[1], numbers[2])
        let source = SteadySource()
        let limits = ConnectionLimits(total: 20_000, perAddress: 20_000)
        let admission = Admission(senders: limits, setup: limits, admin: limits)
        let routes = SocketRoutes(
            catalogue: OperationCatalogue([]), events: source, authority: Everybody())
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listener = try await HTTPListener(
            at: .address(host: "127.0.0.1", port: 0), kind: .admin, admission: admission, on: group,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
            upgrades: { routes.decide($0, rules: RequestRules()) }
        ) { _, _, _ in }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await listener.run() }
            tasks.addTask { await routes.run() }
            let before = Self.memory()
            print("port \(listener.port ?? 0)")
            fflush(nil)
            await source.subscribed(by: clients)
            // The last answers leave.
            try? await Task.sleep(for: .seconds(1))
            let idle = Self.memory()
            print(
                "private memory \(before) kB, with \(clients) idle clients \(idle) kB: \((idle - before) * 1024 / clients) bytes each"
            )
            let (begun, clock) = (Self.processorTime(), ContinuousClock())
            let start = clock.now
            for number in 0..<(rate * seconds) {
                source.publish(number)
                try? await Task.sleep(until: start + .microseconds((number + 1) * 1_000_000 / rate), clock: clock)
            }
            let time = clock.now - start
            try? await Task.sleep(for: .seconds(1))
            let used = Self.processorTime() - begun
            let deliveries = rate * seconds * clients
            print(
                "\(deliveries) deliveries in \(time), \(used) us of processor time: \(Double(used) / Double(deliveries)) us each"
            )
            print("private memory at the end \(Self.memory()) kB")
            fflush(nil)
            await listener.stop()
            tasks.cancelAll()
        }
    }

    /// Private memory of the process, in kB.
    private static func memory() -> Int {
        guard let file = fopen("/proc/self/smaps_rollup", "r") else { return 0 }
        defer { fclose(file) }
        var sum = 0
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Private_") else { continue }
            sum += Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
        }
        return sum
    }

    /// What the process has used of the processor, in microseconds.
    private static func processorTime() -> Int {
        Int(clock())
    }
}

/// Lets every client in.
private struct Everybody: CallerAuthority {
    func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller { .admin }

    func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch {
        CallerWatch {}
    }
}

/// Gives every reader the same events.
private final class SteadySource: EventSource {
    private let feeds = Mutex<[Feed]>([])
    private let counts = AsyncStream.makeStream(of: Int.self)

    func subscribe(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> any EventFeed {
        let feed = Feed(wake: wake)
        let count = self.feeds.withLock { feeds in
            feeds.append(feed)
            return feeds.count
        }
        self.counts.continuation.yield(count)
        return feed
    }

    func state(for caller: Caller) async -> JSONObject { [:] }

    func subscribed(by count: Int) async {
        for await number in self.counts.stream where number >= count { return }
    }

    func publish(_ number: Int) {
        let data = #"{"state":"PLAYING","position":12.5,"rate":1,"content":"https://media.example.com/films/one.mp4"}"#
        let head =
            #"{"boot":"b1","seq":\#(number),"at":"2026-11-22T08:00:00.123Z","type":"media.status","device":"hall""#
        let text = head + #","rev":88,"data":\#(data)}"#
        let frame = JournalFrame(
            .event, at: JournalPosition(boot: "b1", seq: UInt64(number)), ByteBuffer(string: text))
        for feed in self.feeds.withLock({ $0 }) { feed.put(frame) }
    }

    private final class Feed: EventFeed {
        private let state = Mutex((frames: [JournalFrame](), isAsleep: true))
        private let wake: @Sendable () -> Void

        init(wake: @escaping @Sendable () -> Void) {
            self.wake = wake
        }

        func put(_ frame: JournalFrame) {
            let wakes = self.state.withLock { state in
                state.frames.append(frame)
                defer { state.isAsleep = false }
                return state.isAsleep
            }
            if wakes { self.wake() }
        }

        func take(upTo bytes: Int) -> [JournalFrame] {
            self.state.withLock { state in
                if state.frames.isEmpty { state.isAsleep = true }
                defer { state.frames.removeAll(keepingCapacity: true) }
                return state.frames
            }
        }

        var end: FeedEnd? { nil }

        func cancel() {}
    }
}
