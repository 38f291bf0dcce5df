/// The end of a ``DoorInbox`` that messages go into.
public struct DoorInboxInput: Sendable {
    private let continuation: AsyncStream<DoorMessage>.Continuation
    private let dropped: DropCounter

    init(_ continuation: AsyncStream<DoorMessage>.Continuation, _ dropped: DropCounter) {
        self.continuation = continuation
        self.dropped = dropped
    }

    /// Adds a message; the oldest makes room when there is none.
    public func yield(_ message: DoorMessage) {
        if case .dropped = self.continuation.yield(message) { self.dropped.increment() }
    }

    /// Says what is to be called, from any thread, when nobody listens any more.
    public func whenLeft(_ callback: @escaping @Sendable () -> Void) {
        self.continuation.onTermination = { _ in callback() }
    }

    /// Ends the inbox behind what it holds.
    public func finish() {
        self.continuation.finish()
    }
}
