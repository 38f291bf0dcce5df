/// The settings of one destination of the outbox.
package struct DestinationSettings: Hashable, Sendable {
    /// The dependence between messages.
    package var order = DeliveryOrder.device(concurrency: 16, isStrict: false)
    package var retry = RetrySchedule.standard
    /// The age at which a message becomes a dead letter.
    package var age = Duration.seconds(7 * 86_400)
    /// The number of bytes that may wait on disk; what comes beyond that is not taken.
    package var size = 256 << 20
    /// The time dead letters are kept.
    package var deadAge = Duration.seconds(14 * 86_400)
    /// The number of bytes of dead letters that are kept; the oldest go first.
    package var deadSize = 64 << 20

    /// The defaults with some changes.
    package init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }
}
