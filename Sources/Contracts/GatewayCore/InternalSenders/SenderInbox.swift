public import CastWire

/// What an internal sender receives without having asked, oldest first; ends with the sender.
///
/// Filled on the virtual device's event loop, read by a task of the caller. A caller that reads too slowly loses the oldest
/// messages, counted: the event loop never waits.
public struct SenderInbox: Sendable {
    /// A message that an internal sender received without having asked.
    public struct Message: Hashable, Sendable {
        /// The virtual device.
        public var device: String
        /// The session that sent it; nil for the platform, or when the app has ended meanwhile.
        public var session: String?
        /// The message as senders get it.
        public var message: CastMessage

        /// Collects the parts.
        public init(device: String, session: String?, message: CastMessage) {
            self.device = device
            self.session = session
            self.message = message
        }
    }

    /// The end of an inbox that messages go into.
    public struct Input: Sendable {
        private let continuation: AsyncStream<Message>.Continuation
        private let dropped: DropCounter

        fileprivate init(_ continuation: AsyncStream<Message>.Continuation, _ dropped: DropCounter) {
            self.continuation = continuation
            self.dropped = dropped
        }

        /// Adds a message; the oldest makes room when there is none.
        public func yield(_ message: Message) {
            if case .dropped = self.continuation.yield(message) { self.dropped.increment() }
        }

        /// Says what is to be called, from any thread, when the reader of the inbox has gone.
        public func whenLeft(_ callback: @escaping @Sendable () -> Void) {
            self.continuation.onTermination = { _ in callback() }
        }

        /// Ends the inbox behind what it holds.
        public func finish() {
            self.continuation.finish()
        }
    }

    /// The messages.
    public let messages: AsyncStream<Message>
    private let dropped: DropCounter

    /// How many messages were lost because the reader did not take them in time.
    public var droppedCount: Int { self.dropped.count }

    /// Makes an inbox.
    /// - Parameter limit: how many messages may wait, at least 1.
    /// - Returns: the inbox, and what fills it.
    public static func make(limit: Int) -> (inbox: SenderInbox, input: Input) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Message.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let dropped = DropCounter()
        return (SenderInbox(messages: stream, dropped: dropped), Input(continuation, dropped))
    }
}
