import Dispatch
import NIOPosix
import SystemPrimitives

/// Writes one group of messages and changes at a time on a thread of its own, so that what carries messages does not wait for the
/// disk.
final class OutboxWriter: Sendable {
    private let store: OutboxStore
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let outcome = Current<Result<[OutboxMessage], any Error>>(.success([]))
    private let isWritten = DispatchSemaphore(value: 0)

    init(_ store: OutboxStore) {
        self.store = store
        self.thread.start()
    }

    /// Begins to write. ``finish()`` has to follow before the next group.
    /// - Parameter whenWritten: called on the thread when there is an outcome.
    func begin(_ drafts: [OutboxDraft], _ changes: [OutboxStore.Change], whenWritten: @escaping @Sendable () -> Void) {
        self.thread.submit { _ in
            let outcome = Result { try self.store.write(drafts, changes) }
            self.outcome.set(outcome)
            self.isWritten.signal()
            whenWritten()
        }
    }

    /// Waits for the outcome of the group that was begun.
    func finish() -> Result<[OutboxMessage], any Error> {
        self.isWritten.wait()
        return self.outcome.value
    }

    func stop() { self.thread.shutdownGracefully { _ in } }
}
