import CastTransport
import GatewayMetrics
import NIOCore
import Synchronization

/// Answers scrapes, which ask every event loop of the gateway: of those that come at once one is made, and of those that come too often
/// some; the others get the last text.
final class ScrapeCoalescer: Sendable {
    /// How many scrapes are made in a second.
    private static let perSecond = 2
    /// How many of them at once.
    private static let burst = 20

    private enum Turn: Sendable {
        /// The one who asks makes the scrape.
        case scrape
        case text(String)
    }

    private struct State {
        var bucket = TokenBucket(perSecond: ScrapeCoalescer.perSecond, burst: ScrapeCoalescer.burst, at: .now())
        var last: [ExpositionFormat: String] = [:]
        /// Those that wait for the scrape that is being made.
        var waiting: [ExpositionFormat: [CheckedContinuation<Turn, Never>]] = [:]
    }

    private let metrics: MetricsRegistry
    private let state = Mutex(State())

    init(_ metrics: MetricsRegistry) { self.metrics = metrics }

    /// What a scrape is answered.
    func text(_ format: ExpositionFormat, at now: NIODeadline = .now()) async -> String {
        let turn = await withCheckedContinuation { continuation in
            let turn: Turn? = self.state.withLock { state in
                if state.waiting[format] != nil {
                    state.waiting[format]?.append(continuation)
                    return nil
                }
                if !state.bucket.take(at: now), let text = state.last[format] { return .text(text) }
                state.waiting[format] = []
                return .scrape
            }
            if let turn { continuation.resume(returning: turn) }
        }
        switch turn {
        case .text(let text): return text
        case .scrape:
            let text = await self.metrics.text(format)
            let waiting = self.state.withLock { state in
                state.last[format] = text
                return state.waiting.removeValue(forKey: format) ?? []
            }
            for continuation in waiting { continuation.resume(returning: .text(text)) }
            return text
        }
    }
}
