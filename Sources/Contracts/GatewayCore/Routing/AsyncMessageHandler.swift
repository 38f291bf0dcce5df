import NIOCore
public import ServiceLifecycle
import Synchronization

/// A message handler in async code, such as a bridge.
///
/// Register it through ``AsyncHandlerAdapter``, which gives each message its own task, one at a time per flow,
/// and cancels the task when the claim's deadline passes.
public protocol AsyncMessageHandler: Sendable {
    /// A stable name for logs, `gateway.yaml` and `castway route explain`.
    var name: String { get }

    /// The messages that the handler is asked about. Read once, when the handler is registered.
    var claims: [Claim] { get }

    /// Decides about one message; may take until the claim's deadline.
    ///
    /// The next message of the same flow is not asked about before this returns; other flows run beside it.
    /// - Returns: any verdict but ``Verdict/deferred``.
    /// - Throws: anything; the claim's failure policy then decides.
    func handle(_ message: RoutedMessage) async throws -> Verdict
}

/// Runs an ``AsyncMessageHandler`` as a ``MessageHandler``: takes messages on the event loops, decides in tasks.
///
/// Each flow is a lane in which messages are decided one after the other; lanes run beside each other. What waits
/// and what is being decided is bounded over all lanes. Messages are decided while ``run()`` runs; before and after,
/// the handler's claims fail by their policy.
public final class AsyncHandlerAdapter: MessageHandler, Service {
    private struct Work: Sendable {
        let message: RoutedMessage
        let deferral: Deferral?
    }

    /// Observers' copies do not hold back what waits for a verdict.
    private struct Lane: Hashable, Sendable {
        let flow: FlowKey
        let isObserver: Bool
    }

    private struct State {
        var count = 0
        /// The lanes that have a task, or wait for one, with what waits in each.
        var lanes: [Lane: CircularBuffer<Work>] = [:]
    }

    private let handler: any AsyncMessageHandler
    private let limit: Int
    private let state = Mutex(State())
    private let starts: AsyncStream<Lane>
    private let startsInput: AsyncStream<Lane>.Continuation

    /// Wraps a handler.
    /// - Parameter limit: how many messages may be with the handler or wait for it, over all flows.
    public init(_ handler: any AsyncMessageHandler, limit: Int = 1024) {
        self.handler = handler
        self.limit = limit
        // Bounded by `limit`, since each lane in here holds a message.
        (self.starts, self.startsInput) = AsyncStream.makeStream(of: Lane.self)
    }

    /// The wrapped handler's name.
    public var name: String { self.handler.name }

    /// The wrapped handler's claims.
    public var claims: [Claim] { self.handler.claims }

    /// Puts the message into the mailbox; an observer's copy is dropped when the mailbox is full.
    /// - Throws: ``GatewayError`` with `handlerFailed` when the mailbox is full or closed.
    public func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
        let isObserver = context.claim.phase == .observe
        let work = Work(message: message, deferral: isObserver ? nil : context.deferral())
        guard self.accept(work, in: Lane(flow: message.flow, isObserver: isObserver)) else {
            throw GatewayError(.handlerFailed, "the mailbox of '\(self.name)' is full or closed")
        }
        return isObserver ? .pass : .deferred
    }

    /// Decides messages until the task is cancelled or the gateway shuts down.
    public func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await lane in self.starts {
                    group.addTask { await self.serve(lane) }
                }
            }
        } onGracefulShutdown: {
            self.startsInput.finish()
        }
    }

    private func accept(_ work: Work, in lane: Lane) -> Bool {
        self.state.withLock { state in
            guard state.count < self.limit else { return false }
            if state.lanes[lane] == nil {
                guard case .enqueued = self.startsInput.yield(lane) else { return false }
                state.lanes[lane] = []
            }
            state.lanes[lane]?.append(work)
            state.count += 1
            return true
        }
    }

    private func serve(_ lane: Lane) async {
        while let work = self.next(in: lane) {
            await self.decide(work)
            self.state.withLock { $0.count -= 1 }
        }
    }

    private func next(in lane: Lane) -> Work? {
        self.state.withLock { state in
            guard let work = state.lanes[lane]?.popFirst() else {
                state.lanes[lane] = nil
                return nil
            }
            return work
        }
    }

    private func decide(_ work: Work) async {
        guard let deferral = work.deferral else {
            _ = try? await self.handler.handle(work.message)
            return
        }
        // What waited too long was decided by the failure policy; the handler must not act on it any more.
        guard !deferral.isSettled else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    deferral.complete(with: try await self.handler.handle(work.message))
                } catch {
                    deferral.fail(error)
                }
            }
            // The verdict or the deadline, the first of them, ends the task.
            await deferral.settled()
            group.cancelAll()
        }
    }
}
