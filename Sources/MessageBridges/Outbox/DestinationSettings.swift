/// How messages are brought to one destination of the outbox.
public struct DestinationSettings: Hashable, Sendable {
    /// What waits for what.
    public var order = DeliveryOrder.device(concurrency: 16, isStrict: false)
    /// When messages that were refused are tried again.
    public var retry = RetrySchedule.standard
    /// How old a message may be; beyond that it is a dead letter.
    public var age = Duration.seconds(7 * 86_400)
    /// How many bytes may wait on disk; what comes beyond that is not taken.
    public var size = 256 << 20
    /// How long dead letters are kept.
    public var deadAge = Duration.seconds(14 * 86_400)
    /// How many bytes of dead letters are kept; the oldest go first.
    public var deadSize = 64 << 20

    /// The defaults with some changes.
    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }
}
