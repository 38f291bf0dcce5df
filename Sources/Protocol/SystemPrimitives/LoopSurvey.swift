package import NIOCore

/// Asks several event loops the same, and waits for their answers only so long: one that is stuck is left out.
package struct LoopSurvey<Answer: Sendable>: Sendable {
    /// What the loops answered, in no order.
    package let answers: [Answer]
    /// How many did not answer in time.
    package let silentCount: Int

    /// Asks.
    /// - Parameters:
    ///   - eventLoops: each once.
    ///   - limit: how long all of them have together.
    ///   - question: called on each event loop.
    package init(
        of eventLoops: [any EventLoop], within limit: Duration,
        _ question: @escaping @Sendable (_ eventLoop: any EventLoop) -> Answer
    ) async {
        guard !eventLoops.isEmpty else {
            (self.answers, self.silentCount) = ([], 0)
            return
        }
        let (stream, input) = AsyncStream.makeStream(of: Answer.self)
        for eventLoop in eventLoops { eventLoop.execute { input.yield(question(eventLoop)) } }
        self.answers = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: limit)
                input.finish()
            }
            var answers: [Answer] = []
            for await answer in stream {
                answers.append(answer)
                if answers.count == eventLoops.count { break }
            }
            group.cancelAll()
            return answers
        }
        self.silentCount = eventLoops.count - self.answers.count
    }
}
