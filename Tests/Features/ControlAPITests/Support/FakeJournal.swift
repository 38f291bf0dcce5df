import CastWire
import CastwayTestSupport
import GatewayJournal
import GatewayOperations
import NIOCore
import Synchronization

/// A journal that says what a test has it say, to any number of feeds, each with a budget in bytes.
final class FakeJournal: EventSource {
    static let boot = "b1"

    private struct State {
        var feeds: [ObjectIdentifier: Feed] = [:]
        var seq: UInt64 = 0
        var subscriptions: [Subscription] = []
    }

    struct Subscription: Sendable, Equatable {
        var topics: EventTopics
        var position: JournalPosition?
        var caller: String
    }

    private let state = Mutex(State())
    /// Feeds that their readers have ended.
    let cancelled = Inbox<Bool>()
    let budget: Int

    init(budget: Int = 1 << 20) {
        self.budget = budget
    }

    func subscribe(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> any EventFeed {
        let feed = Feed(budget: self.budget, wake: wake) { [weak self] feed in
            _ = self?.state.withLock { $0.feeds.removeValue(forKey: feed) }
            self?.cancelled.put(true)
        }
        let seq = self.state.withLock { state in
            state.feeds[ObjectIdentifier(feed)] = feed
            state.subscriptions.append(Subscription(topics: topics, position: position, caller: caller.name))
            return state.seq
        }
        feed.put(.hello, at: nil, #"{"frame":"hello","boot":"b1","seq":\#(seq),"oldest":1,"features":[]}"#)
        feed.put(.synced, at: JournalPosition(boot: Self.boot, seq: seq), #"{"frame":"synced","seq":\#(seq)}"#)
        return feed
    }

    func state(for caller: Caller) async -> JSONObject {
        ["seq": .number(Int(self.state.withLock { $0.seq })), "caller": .string(caller.name)]
    }

    /// An event happens.
    func happen(_ data: String = "x", kind: JournalFrame.Kind = .event) {
        let (feeds, seq) = self.state.withLock { state in
            state.seq += 1
            return (Array(state.feeds.values), state.seq)
        }
        let text = #"{"boot":"b1","seq":\#(seq),"type":"media.status","data":"\#(data)"}"#
        for feed in feeds { feed.put(kind, at: JournalPosition(boot: Self.boot, seq: seq), text) }
    }

    /// All feeds end.
    func stop() {
        for feed in self.state.withLock({ Array($0.feeds.values) }) { feed.stop("stopping") }
    }

    var feedCount: Int { self.state.withLock { $0.feeds.count } }
    var subscriptions: [Subscription] { self.state.withLock { $0.subscriptions } }

    final class Feed: EventFeed {
        private struct State {
            var frames: [JournalFrame] = []
            var bytes = 0
            var reason: String?
            var position = JournalPosition(boot: FakeJournal.boot, seq: 0)
            var isAsleep = true
        }

        private let state = Mutex(State())
        private let budget: Int
        private let wake: @Sendable () -> Void
        private let cancelled: @Sendable (ObjectIdentifier) -> Void

        init(
            budget: Int, wake: @escaping @Sendable () -> Void,
            cancelled: @escaping @Sendable (ObjectIdentifier) -> Void
        ) {
            self.budget = budget
            self.wake = wake
            self.cancelled = cancelled
        }

        func put(_ kind: JournalFrame.Kind, at position: JournalPosition?, _ text: String) {
            let bytes = ByteBuffer(string: text)
            let wakes = self.state.withLock { state in
                guard state.reason == nil else { return false }
                if state.bytes + bytes.readableBytes > self.budget {
                    // What waits is given up, and the reader hears of it even if it has not taken everything.
                    state.reason = "too_slow"
                    state.frames = []
                    state.bytes = 0
                    return true
                } else {
                    state.frames.append(JournalFrame(kind, at: position, bytes))
                    state.bytes += bytes.readableBytes
                }
                defer { state.isAsleep = false }
                return state.isAsleep
            }
            if wakes { self.wake() }
        }

        func stop(_ reason: String) {
            let wakes = self.state.withLock { state in
                state.reason = state.reason ?? reason
                defer { state.isAsleep = false }
                return state.isAsleep
            }
            if wakes { self.wake() }
        }

        func take(upTo bytes: Int) -> [JournalFrame] {
            self.state.withLock { state in
                var (count, sum) = (0, 0)
                while count < state.frames.count, count == 0 || sum < bytes {
                    sum += state.frames[count].bytes.readableBytes
                    count += 1
                }
                let taken = Array(state.frames.prefix(count))
                state.frames.removeFirst(count)
                state.bytes -= sum
                if let position = taken.last(where: { $0.position != nil })?.position { state.position = position }
                if taken.isEmpty { state.isAsleep = true }
                return taken
            }
        }

        var end: FeedEnd? {
            self.state.withLock { state in
                state.reason.flatMap { state.frames.isEmpty ? FeedEnd(reason: $0, position: state.position) : nil }
            }
        }

        func cancel() { self.cancelled(ObjectIdentifier(self)) }
    }
}

/// Knows the token `good`, until it is revoked; a caller without one is let in only where the test says so.
final class FakeAuthority: CallerAuthority {
    private struct State {
        var watches: [Int: @Sendable (String) -> Void] = [:]
        var next = 0
        var isRevoked = false
    }

    private let state = Mutex(State())
    private let takesStrangers: Bool

    init(takesStrangers: Bool = false) {
        self.takesStrangers = takesStrangers
    }

    func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller {
        let isRevoked = self.state.withLock { $0.isRevoked }
        if credentials.token == "good", !isRevoked {
            return Caller(name: "tester", scopes: [.read, .control], token: "t1")
        }
        if credentials.token == nil, self.takesStrangers { return Caller(name: "loopback", scopes: [.read]) }
        throw OperationProblem("unauthorized", status: 401, "the token is missing, unknown or over")
    }

    func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch {
        let number = self.state.withLock { state in
            state.next += 1
            state.watches[state.next] = callback
            return state.next
        }
        return CallerWatch { [weak self] in _ = self?.state.withLock { $0.watches.removeValue(forKey: number) } }
    }

    func revoke() {
        let watches = self.state.withLock { state in
            state.isRevoked = true
            defer { state.watches = [:] }
            return Array(state.watches.values)
        }
        for callback in watches { callback("revoked") }
    }

    var watchCount: Int { self.state.withLock { $0.watches.count } }
}
