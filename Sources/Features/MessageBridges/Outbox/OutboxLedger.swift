package import GatewayMetrics
import Synchronization

/// The counts of a destination: what waits for it, and what became of what did.
package struct OutboxStatistics: Hashable, Sendable {
    /// The use of the destination: `up`, `down` or `disabled`.
    package enum State: String, Sendable, CaseIterable {
        /// It takes messages, as far as is known.
        case up
        case down
        case disabled
    }

    package var state = State.up
    /// Messages that are not delivered yet, parked ones too, dead letters not.
    package var waiting = 0
    package var waitingBytes = 0
    package var dead = 0
    /// Messages that have arrived, in this run of the gateway.
    package var delivered = 0
    /// Attempts that were refused, in this run.
    package var refused = 0
    /// Messages that were given up, in this run.
    package var buried = 0
    /// Messages that were not taken, in this run.
    package var overflowed = 0
    /// Attempts by their outcome, in this run.
    package var attempts: [Attempt: Int] = [:]
    /// Questions for a reply by what came of them, in this run.
    package var replies: [Reply: Int] = [:]
    /// The time messages took from when they were taken until they had arrived, in this run.
    package var durations = HistogramCounts()

    /// The outcome of an attempt, in a word.
    package enum Attempt: String, Sendable, CaseIterable {
        case delivered
        case refused
        /// The recipient is not there.
        case absent
        /// The destination is out of reach, or too busy.
        case unavailable
        /// The destination wants nothing any more.
        case gone

        init(_ outcome: DeliveryOutcome) {
            switch outcome {
            case .delivered: self = .delivered
            case .refused: self = .refused
            case .absent: self = .absent
            case .unavailable: self = .unavailable
            case .gone: self = .gone
            }
        }
    }

    /// The outcome of asking a webhook for a reply.
    package enum Reply: String, Sendable, CaseIterable {
        case answered
        case empty
        /// None in time, or a refusal.
        case failed
    }
}

/// The state of each destination, for all threads: it bounds what waits before anything is written.
final class OutboxLedger: Sendable {
    fileprivate struct State {
        var standings: [String: OutboxStatistics] = [:]
        /// The number of bytes that may wait; the destinations that there are.
        var limits: [String: Int] = [:]
        /// Messages that were not taken since that was last told.
        var untold: [String: Int] = [:]
        var volatility: String?
        var commits = 0
    }

    private let state = Mutex(State())

    var standings: [String: OutboxStatistics] { self.state.withLock { $0.standings } }

    var volatility: String? { self.state.withLock { $0.volatility } }

    var commits: Int { self.state.withLock { $0.commits } }

    func committed() { self.state.withLock { $0.commits += 1 } }

    func setVolatility(_ reason: String?) { self.state.withLock { $0.volatility = reason } }

    func setLimits(_ destinations: [Outbox.Destination]) {
        self.state.withLock { state in
            state.limits = Dictionary(
                destinations.map { ($0.name, $0.settings.size) }, uniquingKeysWith: { first, _ in first })
            for name in state.limits.keys where state.standings[name] == nil { state.standings[name] = .init() }
        }
    }

    /// Counts messages that are to be taken.
    /// - Throws: ``Outbox/Refusal/full`` when there is no room for all of them, or a destination is unknown.
    func admit(_ drafts: [OutboxDraft]) throws(Outbox.Refusal) {
        let refusal: Outbox.Refusal? = self.state.withLock { state in
            for (index, draft) in drafts.enumerated() {
                guard let limit = state.limits[draft.destination] else {
                    state.takeBack(drafts[..<index])
                    return .unknownDestination
                }
                let standing = state.standings[draft.destination] ?? OutboxStatistics()
                guard standing.waitingBytes + draft.cost <= limit else {
                    state.takeBack(drafts[..<index])
                    state.overflow(draft.destination)
                    return .full
                }
                state.standings[draft.destination]?.waiting += 1
                state.standings[draft.destination]?.waitingBytes += draft.cost
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    func takeBack(_ drafts: [OutboxDraft], isOverflow: Bool) {
        self.state.withLock { state in
            state.takeBack(drafts[...])
            if isOverflow { for draft in drafts { state.overflow(draft.destination) } }
        }
    }

    /// The messages that were not taken since this was last asked, by destination.
    func takeOverflows() -> [String: Int] {
        self.state.withLock { state in
            defer { state.untold = [:] }
            return state.untold
        }
    }

    func update(_ destination: String, _ change: (inout OutboxStatistics) -> Void) {
        self.state.withLock { change(&$0.standings[destination, default: OutboxStatistics()]) }
    }
}

extension OutboxLedger.State {
    fileprivate mutating func takeBack(_ drafts: ArraySlice<OutboxDraft>) {
        for draft in drafts {
            self.standings[draft.destination]?.waiting -= 1
            self.standings[draft.destination]?.waitingBytes -= draft.cost
        }
    }

    fileprivate mutating func overflow(_ destination: String) {
        self.standings[destination]?.overflowed += 1
        self.untold[destination, default: 0] += 1
    }
}

extension OutboxStatistics {
    mutating func take(_ message: OutboxMessage) {
        self.waiting = max(0, self.waiting - 1)
        self.waitingBytes = max(0, self.waitingBytes - message.cost)
    }
}
