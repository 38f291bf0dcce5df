public import ServiceLifecycle

/// Runs an ``AsyncMessageHandler`` as a ``MessageHandler``: takes messages on the event loops, decides in tasks.
///
/// Its mailbox holds one message per flow, since the router keeps back the others, and a bounded number in all.
/// Messages are decided while ``run()`` runs; before and after, its claims fail by their policy.
public final class AsyncHandlerAdapter: MessageHandler, Service {
    private struct Work: Sendable {
        let message: RoutedMessage
        let deferral: Deferral?
    }

    private let handler: any AsyncMessageHandler
    private let mailbox: AsyncStream<Work>
    private let mailboxInput: AsyncStream<Work>.Continuation

    /// Wraps a handler.
    /// - Parameter limit: how many messages may wait for a task, over all flows.
    public init(_ handler: any AsyncMessageHandler, limit: Int = 1024) {
        self.handler = handler
        (self.mailbox, self.mailboxInput) = AsyncStream.makeStream(of: Work.self, bufferingPolicy: .bufferingOldest(limit))
    }

    /// The wrapped handler's name.
    public var name: String { self.handler.name }

    /// The wrapped handler's claims.
    public var claims: [Claim] { self.handler.claims }

    /// Puts the message into the mailbox; an observer's copy is dropped when the mailbox is full.
    /// - Throws: ``GatewayError`` with `handlerFailed` when the mailbox is full or closed.
    public func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
        let isObserver = context.claim.phase == .observe
        let deferral = isObserver ? nil : context.deferral()
        guard case .enqueued = self.mailboxInput.yield(Work(message: message, deferral: deferral)) else {
            throw GatewayError(.handlerFailed, "the mailbox of '\(self.name)' is full or closed")
        }
        return isObserver ? .pass : .deferred
    }

    /// Decides messages until the task is cancelled or the gateway shuts down.
    public func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await work in self.mailbox {
                    group.addTask { await self.decide(work) }
                }
            }
        } onGracefulShutdown: {
            self.mailboxInput.finish()
        }
    }

    private func decide(_ work: Work) async {
        guard let deferral = work.deferral else {
            _ = try? await self.handler.handle(work.message)
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    deferral.complete(with: try await self.handler.handle(work.message))
                } catch {
                    deferral.fail(error)
                }
            }
            // Whoever settles the deferral first, the verdict or the deadline, ends the task.
            await deferral.settled()
            group.cancelAll()
        }
    }
}
