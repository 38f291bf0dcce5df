/// What a sender without a socket hears, oldest first; ends with the sender.
public struct DoorInbox: Sendable {
    /// The messages.
    public let messages: AsyncStream<DoorMessage>
    private let dropped: DropCounter

    /// How many messages were lost because nobody took them in time.
    public var droppedCount: Int { self.dropped.count }

    /// Makes an inbox.
    /// - Parameter onEnd: called when nobody listens any more, from any thread.
    /// - Returns: the inbox, and what fills it; the latter gives false when the listener is gone.
    public static func make(
        limit: Int, onEnd: @escaping @Sendable () -> Void
    ) -> (inbox: DoorInbox, input: DoorInboxInput) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DoorMessage.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        continuation.onTermination = { _ in onEnd() }
        let dropped = DropCounter()
        return (DoorInbox(messages: stream, dropped: dropped), DoorInboxInput(continuation, dropped))
    }
}
