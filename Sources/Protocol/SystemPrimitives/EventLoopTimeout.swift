package import NIOCore
import Synchronization

/// How long a caller waits for event loops, all of them together, and what did not answer.
///
/// A caller sets ``current`` for what it has done; whatever asks event loops there by `EventLoop.answer(about:_:)` is bound by it. A
/// loop that did not answer once is not asked again.
package final class EventLoopTimeout: Sendable {
    /// The patience of the caller that this task works for; nil for one that waits as long as it takes.
    @TaskLocal package static var current: EventLoopTimeout?

    /// How long a loop has at least, when others have used up the time: one that turns needs less.
    private static let least = Duration.milliseconds(100)

    private struct State {
        var silent: Set<ObjectIdentifier> = []
        var unanswered: Set<String> = []
    }

    private let end: ContinuousClock.Instant
    private let state = Mutex(State())

    /// Begins to wait.
    /// - Parameter limit: how long.
    package init(_ limit: Duration) {
        self.end = .now + limit
    }

    /// The subjects of which nothing was said, in order.
    package var unanswered: [String] { self.state.withLock { $0.unanswered.sorted() } }

    fileprivate func ask<Answer: Sendable>(
        _ eventLoop: any EventLoop, about subject: String, _ question: @escaping @Sendable () -> Answer
    ) async -> Answer? {
        let id = ObjectIdentifier(eventLoop)
        if !self.state.withLock({ $0.silent.contains(id) }) {
            let limit = max(self.end - .now, Self.least)
            if let answer = await LoopSurvey(of: [eventLoop], within: limit, { _ in question() }).answers.first {
                return answer
            }
        }
        self.state.withLock { state in
            state.silent.insert(id)
            state.unanswered.insert(subject)
        }
        return nil
    }
}

extension EventLoop {
    /// Asks something of the event loop, and waits for the answer as long as ``EventLoopTimeout/current`` allows.
    /// - Parameters:
    ///   - subject: what is asked about, for ``EventLoopTimeout/unanswered``: `virtual:hall`.
    ///   - question: called on the event loop.
    /// - Returns: nil when the loop did not answer in time, or has been shut down.
    package func answer<Answer: Sendable>(
        about subject: String, _ question: @escaping @Sendable () -> Answer
    ) async -> Answer? {
        guard let patience = EventLoopTimeout.current else { return try? await self.submit(question).get() }
        return await patience.ask(self, about: subject, question)
    }
}
