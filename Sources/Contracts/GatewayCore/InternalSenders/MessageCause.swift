/// The message that made a plugin have an operation done, so that what the operation sends counts as following from it.
public enum MessageCause {
    /// Where that message is from; nil for an operation that follows from no message.
    @TaskLocal public static var current: MessageOrigin?

    /// How many messages of internal senders lie behind what is done here; 0 for none.
    public static var hops: Int { self.current?.hops ?? 0 }
}
