/// The internal sender of a message, and how many messages of internal senders lie behind it.
///
/// It prevents loops: a handler does not see messages that it originated, nor the answers that it waits for, and a message
/// at the end of too long a chain is not routed at all.
public struct MessageOrigin: Hashable, Sendable {
    /// What sends: by what a rule's `from` tells messages apart that come from no sender.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// A plugin.
        case plugin
        /// A caller by HTTP, WebSocket or the command line.
        case api
        /// The MQTT broker.
        case mqtt
        /// The gateway itself.
        case own
    }

    /// How many messages may follow from one another.
    public static let maximumHops = 8

    /// The sender's name: that of the ``MessageHandler`` when a handler sends, so that it does not see its own messages.
    public let name: String
    /// What sends.
    public let source: Source
    /// How many messages of internal senders led to this one, itself included: 1 for what a sender's message, a device or a
    /// timer caused.
    public let hops: Int
    /// Whether the message is a device's reaction to what was sent under the name, other than the answer that is waited for.
    /// The handler of that name sees it like the others.
    public let isReaction: Bool

    /// Names an origin.
    /// - Parameters:
    ///   - source: what sends.
    ///   - cause: the origin of the message that made the sender send; nil when it sends of its own accord.
    public init(_ name: String, from source: Source = .plugin, after cause: MessageOrigin? = nil) {
        self.name = name
        self.source = source
        self.hops = (cause?.hops ?? 0) + 1
        self.isReaction = false
    }

    /// Names an origin that sends a command for a caller.
    /// - Parameter hops: how many messages of internal senders led to the command.
    public init(_ name: String, from source: Source, behind hops: Int) {
        self.name = name
        self.source = source
        self.hops = hops + 1
        self.isReaction = false
    }

    private init(reactingTo origin: MessageOrigin) {
        self.name = origin.name
        self.source = origin.source
        self.hops = origin.hops
        self.isReaction = true
    }

    /// The origin of what a device sends of its own accord to an internal sender.
    public var reaction: MessageOrigin { MessageOrigin(reactingTo: self) }
}
