public import NIOCore
import Synchronization

/// The gateway's own sessions that have ended a short while ago, so that a caller learns how, and that ending one twice does no harm.
///
/// It is told of every event on its way to the subscribers. Sessions are kept for ten minutes, and 64 at most.
public final class EndedSessionCache: Sendable {
    /// A session that has ended.
    public struct Entry: Sendable {
        /// The session as it was.
        public let facts: CastSessionFacts
        /// Why it ended; nil when that was asked for.
        public let failure: SessionFailure?
        /// When it ended.
        public let endedAt: NIODeadline
    }

    /// For how long they are kept.
    static let age = TimeAmount.minutes(10)
    /// How many are kept.
    static let maximumCount = 64

    private let entries = Mutex<[Entry]>([])

    init() {}

    /// Takes an event; most are none of its business.
    func note(_ event: GatewayEvent, at instant: @autoclosure () -> NIODeadline = .now()) {
        guard case .castSession(let facts, .didEnd(let failure)) = event else { return }
        let now = instant()
        self.entries.withLock { entries in
            entries.removeAll { $0.endedAt + Self.age <= now }
            entries.append(Entry(facts: facts, failure: failure, endedAt: now))
            if entries.count > Self.maximumCount { entries.removeFirst(entries.count - Self.maximumCount) }
        }
    }

    /// The sessions that have ended within the last ten minutes, the newest first.
    public func recent(at now: NIODeadline = .now()) -> [Entry] {
        self.entries.withLock { $0.filter { $0.endedAt + Self.age > now }.reversed() }
    }
}
