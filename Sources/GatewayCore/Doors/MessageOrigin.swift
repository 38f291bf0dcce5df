/// Who set a message off that no sender's channel brought, and how many such messages lie behind it.
///
/// It keeps programs from talking to themselves: a handler is not asked about a message that came in under its own name, nor
/// about the answer that it waits for, and a message that is the last of too long a chain is not routed at all.
public struct MessageOrigin: Hashable, Sendable {
    /// How many messages may follow from one another.
    public static let maximumHops = 8

    /// Who speaks; the ``MessageHandler/name`` of a handler that does, so that it is not asked about its own words.
    public let name: String
    /// How many messages lie between this one and what a sender, a device or a clock set off; the first has 1.
    public let hops: Int
    /// Whether a device says it because of what was said under the name, but not as the answer that is waited for. The
    /// handler that spoke hears it as others do.
    public let isReaction: Bool

    /// Names an origin.
    /// - Parameter cause: what the speaker was told when it decided to speak; nil when it speaks of its own accord.
    public init(_ name: String, after cause: MessageOrigin? = nil) {
        self.name = name
        self.hops = (cause?.hops ?? 0) + 1
        self.isReaction = false
    }

    private init(reactingTo origin: MessageOrigin) {
        self.name = origin.name
        self.hops = origin.hops
        self.isReaction = true
    }

    /// The origin of what a device says of its own accord to a handler that has spoken to it.
    public var reaction: MessageOrigin { MessageOrigin(reactingTo: self) }
}
