/// Who waits until nothing more happens by itself.
struct QuietWaiter: Sendable {
    /// What counts as quiet.
    enum Condition: Sendable {
        /// Every message is decided.
        case noMessages
        /// No job does anything but wait.
        case nothingRuns
    }

    let serial: Int
    let condition: Condition
    private let continuation: CheckedContinuation<Bool, Never>

    init(serial: Int, condition: Condition, _ continuation: CheckedContinuation<Bool, Never>) {
        self.serial = serial
        self.condition = condition
        self.continuation = continuation
    }

    /// It is quiet, or (false) the time for waiting is over.
    func resume(_ isQuiet: Bool = true) {
        self.continuation.resume(returning: isQuiet)
    }
}

extension PluginSession.State {
    /// True when it is as quiet as asked for.
    func isQuiet(_ condition: QuietWaiter.Condition) -> Bool {
        switch condition {
        case .noMessages: self.flows.messageFlows == 0 && self.deferred.isEmpty
        case .nothingRuns: self.busy <= 0
        }
    }

    /// Takes out those for whom it is quiet.
    mutating func takeQuietWaiters() -> [QuietWaiter] {
        guard !self.quietWaiters.isEmpty else { return [] }
        // Whoever waited for messages has something to do from now on, so it is not quiet for the others.
        let jobs = self.take(.noMessages)
        self.busy += jobs.count
        return jobs + self.take(.nothingRuns)
    }

    private mutating func take(_ condition: QuietWaiter.Condition) -> [QuietWaiter] {
        guard self.isQuiet(condition) else { return [] }
        defer { self.quietWaiters.removeAll { $0.condition == condition } }
        return self.quietWaiters.filter { $0.condition == condition }
    }
}
