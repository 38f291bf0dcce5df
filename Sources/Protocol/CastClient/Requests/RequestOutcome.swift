public import CastWire
import Synchronization

/// What became of a request.
public enum RequestOutcome: Hashable, Sendable {
    /// Why a request ended without an answer, though nothing went wrong.
    public enum AbortReason: String, Hashable, Sendable {
        /// The caller took the request back.
        case cancelled
        /// Another request of the same kind, this sender's or another's, took its place.
        case replaced
    }

    /// It was carried out; this is the answer. Empty when it needed none.
    case completed(JSONObject)
    /// It was not carried out.
    case failed(RequestError)
    /// The request is not waited for any more; the device may carry it out all the same.
    case aborted(AbortReason)
    /// No answer came in time.
    case timedOut

    /// The answer.
    /// - Throws: ``RequestError``: why there is none, with the code `cancelled`, `replaced` or `timeout` where nothing failed.
    public func get() throws(RequestError) -> JSONObject {
        switch self {
        case .completed(let reply): return reply
        case .failed(let error): throw error
        case .aborted(.cancelled): throw RequestError(.cancelled, "the request was cancelled")
        case .aborted(.replaced): throw RequestError(.replaced, "another request took the place of this one")
        case .timedOut: throw RequestError(.timeout, "no answer came in time")
        }
    }

    /// The answer, or why there is none, as ``get()``.
    package var result: Result<JSONObject, RequestError> {
        Result { () throws(RequestError) in try self.get() }
    }

    /// True when it was carried out.
    public var isCompleted: Bool { if case .completed = self { true } else { false } }
}

/// A request that a caller made of an app, while it is under way and after.
public final class MediaCommandRequest: Sendable {
    private struct State {
        var outcome: RequestOutcome?
        var waiters: [@Sendable (RequestOutcome) -> Void] = []
        var cancel: (@Sendable () -> Void)?
    }

    /// Tells requests of one client apart; not the number on the wire, since a request may be tried twice.
    public let id: Int
    /// What is asked for: the message's type, or the name that a program gave it.
    public let name: String
    private let state: Mutex<State>

    init(id: Int, name: String, cancel: (@Sendable () -> Void)? = nil) {
        self.id = id
        self.name = name
        self.state = Mutex(State(cancel: cancel))
    }

    /// A request that a program carries out itself, so that all requests look alike; end it with ``finish(_:)``.
    public static func application(id: Int, name: String) -> MediaCommandRequest {
        MediaCommandRequest(id: id, name: name)
    }

    /// What became of it; nil while it is under way.
    public var outcomeSoFar: RequestOutcome? { self.state.withLock { $0.outcome } }

    /// True while it is under way.
    public var isInProgress: Bool { self.outcomeSoFar == nil }

    /// Why it failed; nil while it is under way, and for every other end.
    public var error: RequestError? {
        if case .failed(let error)? = self.outcomeSoFar { error } else { nil }
    }

    /// Waits for the end. A task that is cancelled while it waits cancels the request.
    public func outcome() async -> RequestOutcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.whenEnded { continuation.resume(returning: $0) }
            }
        } onCancel: {
            self.cancel()
        }
    }

    /// Calls back once with the end: at once when the request has ended, and otherwise from the thread that ends it.
    package func whenEnded(_ callback: @escaping @Sendable (RequestOutcome) -> Void) {
        let outcome = self.state.withLock { state in
            if state.outcome == nil { state.waiters.append(callback) }
            return state.outcome
        }
        if let outcome { callback(outcome) }
    }

    /// Waits for the answer.
    /// - Throws: ``RequestError``, also for a request that was aborted or timed out.
    @discardableResult
    public func reply() async throws(RequestError) -> JSONObject {
        try await self.outcome().get()
    }

    /// Stops waiting: the request is aborted. The app may carry it out all the same.
    public func cancel() {
        let cancel = self.state.withLock { $0.cancel }
        if let cancel { cancel() } else { self.finish(.aborted(.cancelled)) }
    }

    /// Ends the request, once.
    public func finish(_ outcome: RequestOutcome) {
        let waiters = self.state.withLock { state in
            guard state.outcome == nil else { return [@Sendable (RequestOutcome) -> Void]() }
            state.outcome = outcome
            state.cancel = nil
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter(outcome) }
    }
}
