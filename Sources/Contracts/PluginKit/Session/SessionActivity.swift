import Synchronization

/// What a session is doing: its stage, the jobs that run and wait, the messages that are decided later, and the callers that
/// wait until nothing more happens.
///
/// One lock guards all of it, since whether it is quiet follows from all of it. Nothing is called with the lock held: callers
/// that need not wait any more are resumed behind it, or come back as ``QuietWaiter``s where a line has to be written first.
final class SessionActivity: Sendable {
    fileprivate struct State {
        var stage = SessionStage.new
        var flows = FlowTable()
        /// Messages that are decided later.
        var deferred: Set<String> = []
        /// Verdicts that were given before it was said that they come later.
        var early: [String: Verdict] = [:]
        /// How many jobs do something, other than waiting for the gateway or for time.
        var busy = 0
        /// The callers that wait for quiet.
        var quietWaiters: [QuietWaiter] = []
        var lastSerial = 0
    }

    /// What becomes of a new job.
    enum Admission {
        /// It is to be begun now.
        case begin(PluginJob, FlowTable.Place)
        /// It is done after others of its flow, or not at all.
        case nothing
        /// It cannot be done.
        case refused(PluginRPCError)
    }

    /// So many verdicts may come before it is said that they come later.
    private static let earlyLimit = 1_024

    private let state = Mutex(State())

    // MARK: The stage

    /// How far the session has come.
    var stage: SessionStage { self.state.withLock { $0.stage } }

    /// Goes from one stage to the next, unless the session was stopped meanwhile.
    func advance(from old: SessionStage, to new: SessionStage) {
        self.state.withLock { state in
            if state.stage == old { state.stage = new }
        }
    }

    /// Takes no more messages.
    func beginDraining() {
        self.state.withLock { state in
            if state.stage != .stopped { state.stage = .draining }
        }
    }

    /// All is over.
    func stop() {
        self.state.withLock { $0.stage = .stopped }
    }

    // MARK: Jobs

    /// Takes a new job. Messages are refused when the plugin is not ready, and events before there is a plugin are left out.
    func admit(_ job: PluginJob, to key: LaneKey) -> Admission {
        self.state.withLock { state in
            switch job {
            case .message where state.stage != .ready, .operation where state.stage != .ready:
                return .refused(PluginRPCError(.notReady, "the plugin is \(state.stage.rawValue)"))
            default: break
            }
            if key == .events, state.stage == .new { return .nothing }
            switch state.flows.add(job, to: key) {
            case .begin(let job, let place):
                if key != .clock { state.busy += 1 }
                return .begin(job, place)
            case .waits: return .nothing
            case .refused: return .refused(PluginRPCError(.busy, "too much waits"))
            }
        }
    }

    /// The job was begun.
    /// - Returns: what comes next, as ``FlowTable/begun(_:task:)`` does.
    func begun(_ key: LaneKey, _ place: FlowTable.Place, task: Task<Void, Never>) -> PluginJob? {
        self.moveOn(key) { $0.begun(place, task: task) }
    }

    /// The job ended.
    /// - Returns: what comes next, as ``FlowTable/finished(_:)`` does.
    func finished(_ key: LaneKey, _ place: FlowTable.Place) -> PluginJob? {
        self.moveOn(key) { $0.finished(place) }
    }

    /// Takes a step in the flows; when that ends a flow, the callers that wait for quiet learn it.
    private func moveOn(_ key: LaneKey, _ step: (inout FlowTable) -> PluginJob?) -> PluginJob? {
        let (job, quiet): (PluginJob?, [QuietWaiter]) = self.state.withLock { state in
            let flows = state.flows.activeFlows
            let job = step(&state.flows)
            if state.flows.activeFlows < flows, key != .clock { state.busy -= 1 }
            return (job, state.takeQuietWaiters())
        }
        for waiter in quiet { waiter.resume() }
        return job
    }

    /// Something runs that is none of the flows' jobs, or a job that waited for the gateway or for time goes on.
    func resume() {
        self.state.withLock { $0.busy += 1 }
    }

    /// A job begins to wait for the gateway or for time, or what ``resume()`` announced ends.
    /// - Returns: the callers for whom it is quiet now.
    func pause() -> [QuietWaiter] {
        self.state.withLock { state in
            state.busy -= 1
            return state.takeQuietWaiters()
        }
    }

    // MARK: Messages that are decided later

    /// Notes that a message is decided later.
    /// - Returns: the verdict, when it came before; then nothing is noted.
    func postpone(_ messageID: String) -> Verdict? {
        self.state.withLock { state in
            let early = state.early.removeValue(forKey: messageID)
            if early == nil { state.deferred.insert(messageID) }
            return early
        }
    }

    /// Takes the verdict on a message that is decided later; one that comes too early is kept.
    /// - Returns: nil when it was too early, else the callers for whom it is quiet once the verdict was said.
    func complete(_ messageID: String, with verdict: Verdict) -> [QuietWaiter]? {
        self.state.withLock { state in
            if state.deferred.remove(messageID) != nil { return state.takeQuietWaiters() }
            if state.early.count < Self.earlyLimit { state.early[messageID] = verdict }
            return nil
        }
    }

    /// Takes it that a verdict is not awaited any more.
    func cancel(_ notice: CancelNotice) {
        let (task, quiet): (Task<Void, Never>?, [QuietWaiter]) = self.state.withLock { state in
            if let messageID = notice.messageID {
                state.deferred.remove(messageID)
                state.early[messageID] = nil
            }
            return (state.flows.cancel(notice.id), state.takeQuietWaiters())
        }
        task?.cancel()
        for waiter in quiet { waiter.resume() }
    }

    /// Takes it that the outcome of an operation is not awaited any more.
    func abort(_ call: String) {
        self.state.withLock { $0.flows.task(of: call) }?.cancel()
    }

    // MARK: Quiet

    /// Waits until it is quiet. A job that waits for messages does nothing else meanwhile.
    /// - Parameter limit: how long at most; nil for as long as it takes.
    /// - Returns: false when the limit came first.
    @discardableResult
    func quiet(_ condition: QuietWaiter.Condition, within limit: Duration? = nil) async -> Bool {
        let serial = self.state.withLock { state in
            state.lastSerial += 1
            return state.lastSerial
        }
        let isJob = condition == .noMessages
        var alarm: Task<Void, Never>?
        let isQuiet = await withCheckedContinuation { continuation in
            let quiet: [QuietWaiter] = self.state.withLock { state in
                let waiter = QuietWaiter(serial: serial, condition: condition, continuation)
                if isJob { state.busy -= 1 }
                state.quietWaiters.append(waiter)
                return state.takeQuietWaiters()
            }
            for waiter in quiet { waiter.resume() }
            // Starts once the waiter is in the list: a limit that expired before found no waiter to give up.
            alarm = limit.map { limit in
                Task.immediate {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    self.giveUp(serial)
                }
            }
        }
        alarm?.cancel()
        return isQuiet
    }

    private func giveUp(_ serial: Int) {
        let waiter = self.state.withLock { state -> QuietWaiter? in
            guard let index = state.quietWaiters.firstIndex(where: { $0.serial == serial }) else { return nil }
            let waiter = state.quietWaiters.remove(at: index)
            if waiter.condition == .noMessages { state.busy += 1 }
            return waiter
        }
        waiter?.resume(false)
    }
}

extension SessionActivity.State {
    /// True when it is as quiet as asked for.
    private func isQuiet(_ condition: QuietWaiter.Condition) -> Bool {
        switch condition {
        case .noMessages: self.flows.messageFlows == 0 && self.deferred.isEmpty
        case .nothingRuns: self.busy <= 0
        }
    }

    /// Takes out those for whom it is quiet.
    fileprivate mutating func takeQuietWaiters() -> [QuietWaiter] {
        guard !self.quietWaiters.isEmpty else { return [] }
        // A job that waited for messages runs from now on, so it is not quiet for the others.
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

/// A caller that waits until nothing more happens by itself.
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

/// The stage of a plugin's session.
enum SessionStage: String {
    /// Nothing was said.
    case new
    /// It has its configuration.
    case initialized
    /// It takes messages.
    case ready
    /// It takes no more.
    case draining
    /// All is over.
    case stopped
}
