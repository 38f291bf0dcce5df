public import CastWire
public import Logging
import NIOCore
import Synchronization

/// What a handler may use while it decides about one message.
public struct HandlerContext {
    /// The claim that matched.
    public var claim: Claim { self.entry.claim }
    /// How long a deferred verdict may take.
    public let deadline: Duration
    /// Where the handler's own log lines go; carries the device and the handler's name.
    public var logger: Logger {
        var logger = self.base
        logger[metadataKey: "handler"] = "\(self.entry.handler.name)"
        return logger
    }

    private let base: Logger
    private let entry: HandlerTable.Entry
    private let traversal: ChainTraversal
    private let router: RouterHandle
    private let turn: Int

    /// - Parameter deadline: zero for observers, of whose deferrals nothing comes.
    init(
        _ entry: HandlerTable.Entry, of traversal: ChainTraversal, deadline: Duration, logger: Logger,
        router: RouterHandle
    ) {
        self.entry = entry
        self.deadline = deadline
        self.base = logger
        self.traversal = traversal
        self.router = router
        self.turn = traversal.turn
    }

    /// What runs behind the virtual device. Ask while the handler looks at the message, on its event loop.
    public var running: RunningApps { self.router.router?.output?.running ?? .unknown }

    /// The CONNECT by which the sender of a message introduced itself; nil when none is known, as for plugins. Ask while the
    /// handler looks at the message, on its event loop. What it says is the sender's word, and nothing is checked.
    public func connect(of message: RoutedMessage) -> CastMessage? {
        guard let connection = message.connection else { return nil }
        return self.router.router?.output?.connect(of: message.message, on: connection)
    }

    /// Takes the right to decide later. The handler must then return ``Verdict/deferred``.
    ///
    /// Later messages of the same flow wait until the deferral is completed or its deadline passes.
    public func deferral() -> Deferral {
        let isCurrent = self.entry.claim.phase != .observe && self.turn == self.traversal.turn
        if isCurrent, let deferral = self.traversal.deferral { return deferral }
        let deferral = Deferral(of: self.traversal, router: self.router)
        if isCurrent { self.traversal.deferral = deferral }
        return deferral
    }
}

/// The right to decide about one message later, from any thread, once.
///
/// A caller that is late finds the deferral settled, and its verdict is ignored.
public final class Deferral: Sendable {
    private struct State {
        var isSettled = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// What the holder of a deferral tells the router.
    enum Notice: Sendable {
        case outcome(Result<Verdict, any Error>)
        case moreTime(Duration)
    }

    private let state = Mutex(State())
    private let router: RouterHandle
    /// The message that waits; read by the router alone, on its event loop.
    let traversal: NIOLoopBound<ChainTraversal>

    init(of traversal: ChainTraversal, router: RouterHandle) {
        self.router = router
        self.traversal = NIOLoopBound(traversal, eventLoop: router.eventLoop)
    }

    /// Gives the verdict. The first call counts.
    ///
    /// On the event loop of the message it is carried out before the call returns, unless the router is asking a handler just then.
    public func complete(with verdict: Verdict) {
        if self.settle() { self.router.deliver(.outcome(.success(verdict)), of: self) }
    }

    /// Says that no verdict can be given; the claim's failure policy decides. The first call counts.
    public func fail(_ error: any Error) {
        if self.settle() { self.router.deliver(.outcome(.failure(error)), of: self) }
    }

    /// Moves the deadline to so long from now; does nothing when it has passed.
    public func extendDeadline(to time: Duration) {
        if !self.isSettled { self.router.deliver(.moreTime(time), of: self) }
    }

    /// True once there is a verdict, or the deadline has passed, or the connection is gone.
    public var isSettled: Bool { self.state.withLock { $0.isSettled } }

    /// Returns when the deferral is settled: by a verdict, the deadline, or the end of the connection.
    public func settled() async {
        await withCheckedContinuation { continuation in
            let isSettled = self.state.withLock { state in
                if !state.isSettled { state.waiters.append(continuation) }
                return state.isSettled
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Closes the deferral.
    /// - Returns: false when it was closed already.
    @discardableResult
    func settle() -> Bool {
        let waiters: [CheckedContinuation<Void, Never>]? = self.state.withLock { state in
            guard !state.isSettled else { return nil }
            state.isSettled = true
            defer { state.waiters = [] }
            return state.waiters
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume() }
        return true
    }
}
