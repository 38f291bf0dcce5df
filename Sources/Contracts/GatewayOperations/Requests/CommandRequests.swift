package import CastWire
import GatewayCore
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// Carries commands out as requests, so that a caller may look at one, take it back, and ask again without doing it twice.
///
/// A call becomes a request in ``CommandRequestTable``; a task of ``run()`` does the work, and the caller waits for its end no longer than
/// it wants. So a caller that goes away takes nothing with it. When the gateway stops, what goes on is cancelled.
package final class CommandRequests: Service, CustomStringConvertible {
    /// The longest that a command keeps its caller waiting.
    package static let longestWait = Duration.seconds(10)

    /// Where time comes from.
    package struct Clock: Sendable {
        /// Since any fixed instant.
        package var now: @Sendable () -> Duration
        /// Seconds since 1970.
        package var time: @Sendable () -> Double
        /// Waits, or ends early when its task is cancelled.
        package var sleep: @Sendable (Duration) async -> Void

        /// Takes a clock apart.
        /// - Parameter time: seconds since 1970.
        package init(
            now: @escaping @Sendable () -> Duration, time: @escaping @Sendable () -> Double,
            sleep: @escaping @Sendable (Duration) async -> Void
        ) {
            self.now = now
            self.time = time
            self.sleep = sleep
        }

        /// The machine's clock.
        /// - Parameter time: seconds since 1970.
        package static func continuous(time: @escaping @Sendable () -> Double) -> Clock {
            let start = ContinuousClock.now
            return Clock(now: { ContinuousClock.now - start }, time: time, sleep: { try? await Task.sleep(for: $0) })
        }
    }

    typealias Work = @Sendable () async -> OperationCatalogue.Outcome

    private struct Job: Sendable {
        let id: String
        let caller: Caller
        /// How many messages of internal senders led to it.
        let hops: Int
        let work: Work
    }

    private struct State {
        var table: CommandRequestTable
        var isOver = false
        var cancels: [String: Latch] = [:]
        /// The calls that wait, by request.
        var waiters: [String: [Latch]] = [:]
    }

    private let state: Mutex<State>
    private let clock: Clock
    private let onChange: @Sendable (CommandRequest) -> Void
    private let jobs: AsyncStream<Job>
    private let input: AsyncStream<Job>.Continuation

    /// - Parameters:
    ///   - run: a short text that tells this run of the gateway from others, letters and digits.
    ///   - onChange: told each request when the device has been asked, whenever it gets on, and when it has ended, in this order, from any thread. Calls of
    ///     requests wait meanwhile, so it makes none.
    package convenience init(
        run: String, clock: Clock, onChange: @escaping @Sendable (CommandRequest) -> Void = { _ in }
    ) {
        self.init(run: run, limits: CommandRequestTable.Limits(), clock: clock, onChange: onChange)
    }

    init(
        run: String, limits: CommandRequestTable.Limits, clock: Clock,
        onChange: @escaping @Sendable (CommandRequest) -> Void
    ) {
        self.state = Mutex(State(table: CommandRequestTable(run: run, limits: limits)))
        self.clock = clock
        self.onChange = onChange
        (self.jobs, self.input) = AsyncStream.makeStream()
    }

    package var description: String { "command requests" }

    /// Does the work until graceful shutdown; what goes on then is cancelled. Calls that came before it begins wait for it.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await job in self.jobs { group.addTask { await self.perform(job) } }
            }
        }
        let left = self.state.withLock { state in
            state.isOver = true
            return state.table.open
        }
        for request in left { self.end(request.id, .failure(Self.stopping)) }
    }

    private static let takenBack = OperationProblem("cancelled", status: 503, "the request was taken back")
    private static let stopping = OperationProblem("cancelled", status: 503, "the gateway stops")

    private func perform(_ job: Job) async {
        let trace = CommandTrace(
            request: job.id,
            caller: .init(
                name: job.caller.name, isBroker: job.caller.isBroker, plugin: job.caller.plugin, hops: job.hops),
            onDevice: { device in self.state.withLock { $0.table.concerns(job.id, device: device) } },
            onSent: { self.state.withLock { if let request = $0.table.sent(job.id) { self.onChange(request) } } },
            isSent: { self.state.withLock { $0.table.wasSent(job.id) } },
            onProgress: { progress in
                self.state.withLock {
                    if let request = $0.table.progressed(job.id, progress) { self.onChange(request) }
                }
            })
        let cancel = Latch()
        let goesOn = self.state.withLock { state in
            // It may have been taken back before it began.
            guard state.table.request(job.id)?.state.isEnd == false else { return false }
            state.cancels[job.id] = cancel
            return true
        }
        guard goesOn else { return }
        await race {
            await CommandTrace.$current.withValue(trace) { self.end(job.id, await job.work()) }
        } against: {
            await cancel.waitUnlessCancelled()
        }
        self.state.withLock { _ = $0.cancels.removeValue(forKey: job.id) }
    }

    private func end(_ id: String, _ outcome: OperationCatalogue.Outcome) {
        let waiters = self.state.withLock { self.end(id, outcome, in: &$0) }
        for waiter in waiters { waiter.open() }
    }

    /// - Returns: those who wait for the end.
    private func end(_ id: String, _ outcome: OperationCatalogue.Outcome, in state: inout State) -> [Latch] {
        if let ended = state.table.end(id, with: outcome, at: self.clock.now(), time: self.clock.time()) {
            self.onChange(ended)
        }
        return state.waiters.removeValue(forKey: id) ?? []
    }

    // MARK: Calls

    /// Carries a call out, or joins the one that it repeats.
    /// - Parameters:
    ///   - isCommand: whether the caller is answered 202 with the request when it does not want to wait longer.
    ///   - work: what is to be done, once.
    func call(
        _ operation: OperationName, _ input: JSONObject, for caller: Caller, options: CallOptions, isCommand: Bool,
        work: @escaping Work
    ) async -> OperationCatalogue.Outcome {
        let (now, time) = (self.clock.now(), self.clock.time())
        let admission = self.state.withLock { state in
            guard !state.isOver else {
                return CommandRequestTable.Admission.refused(
                    OperationProblem("unavailable", status: 503, "the gateway stops"))
            }
            return state.table.admit(
                operation, input, for: caller, key: options.idempotencyKey, at: now, time: time)
        }
        let id: String
        switch admission {
        case .refused(let problem): return .failure(problem)
        case .repeated(let other): id = other
        case .new(let request):
            id = request.id
            self.input.yield(Job(id: id, caller: caller, hops: MessageCause.hops, work: work))
        }
        await self.wait(for: id, upTo: isCommand ? min(options.wait ?? Self.longestWait, Self.longestWait) : nil)
        guard let request = self.state.withLock({ $0.table.request(id) }) else {
            return .failure(.missing("unknown_request", "the request is forgotten"))
        }
        return request.outcome ?? .success(OperationAnswer(status: 202, request.json(for: caller)))
    }

    /// Waits for the end of a request.
    /// - Parameter time: how long at most; nil until it has ended.
    private func wait(for id: String, upTo time: Duration?) async {
        guard time != .zero else { return }
        let end = Latch()
        let isUnderWay = self.state.withLock { state in
            guard let request = state.table.request(id), !request.state.isEnd else { return false }
            state.waiters[id, default: []].append(end)
            return true
        }
        guard isUnderWay else { return }
        // A request may be asked for often before it ends.
        defer { self.state.withLock { $0.waiters[id]?.removeAll { $0 === end } } }
        await race {
            await end.waitUnlessCancelled()
        } against: {
            if let time { await self.clock.sleep(time) } else { await untilCancelled() }
        }
    }

    /// How many calls wait for the end of a request.
    var waiterCount: Int { self.state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

    // MARK: What callers see of requests

    /// The requests that go on, the oldest first, of those that a caller may see.
    package func open(for caller: Caller) -> [CommandRequest] {
        self.state.withLock { $0.table.open }.filter { Self.isVisible($0, to: caller) }
    }

    /// How a request stands.
    /// - Throws: `unknown_request` (404), also for one that the caller may not see.
    package func request(_ id: String, for caller: Caller) throws(OperationProblem) -> JSONObject {
        try self.visible(id, to: caller).json(for: caller)
    }

    /// Takes a request back, and waits until it has ended. One that has ended stays as it is.
    /// - Returns: how it stands now.
    /// - Throws: `unknown_request` (404), also for one that the caller may not see.
    package func cancel(_ id: String, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        _ = try self.visible(id, to: caller)
        // What has not begun never begins.
        let (cancel, waiters) = self.state.withLock { state in
            let cancel = state.cancels[id]
            return (cancel, cancel == nil ? self.end(id, .failure(Self.takenBack), in: &state) : [])
        }
        cancel?.open()
        for waiter in waiters { waiter.open() }
        await self.wait(for: id, upTo: Self.longestWait)
        return try self.request(id, for: caller)
    }

    private func visible(_ id: String, to caller: Caller) throws(OperationProblem) -> CommandRequest {
        guard let request = self.state.withLock({ $0.table.request(id) }), Self.isVisible(request, to: caller) else {
            throw .missing("unknown_request", "there is no request '\(id)', or it ended more than ten minutes ago")
        }
        return request
    }

    /// A caller sees its own requests; those with the scope `admin` see all.
    private static func isVisible(_ request: CommandRequest, to caller: Caller) -> Bool {
        request.caller == caller || (caller.scopes.contains(.admin) && caller.devices == nil)
    }
}
