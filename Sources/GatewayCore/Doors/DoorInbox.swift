/// What a sender without a socket hears, oldest first; ends with the sender.
public struct DoorInbox: Sendable {
    /// The messages.
    public let messages: AsyncStream<DoorMessage>
    private let dropped: DropCounter

    /// How many messages were lost because nobody took them in time.
    public var droppedCount: Int { self.dropped.count }

    /// Makes an inbox.
    /// - Parameter limit: how many messages may wait, at least 1.
    /// - Returns: the inbox, and what fills it.
    public static func make(limit: Int) -> (inbox: DoorInbox, input: DoorInboxInput) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DoorMessage.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let dropped = DropCounter()
        return (DoorInbox(messages: stream, dropped: dropped), DoorInboxInput(continuation, dropped))
    }
}
