/// Carries messages of the outbox to one destination, such as a webhook or a broker.
///
/// The outbox decides which message is carried when, and keeps it until it has arrived; a carrier has no queue of its own and no
/// retries. How many messages may be under way at once, and whether those of one device wait for one another, says ``DeliveryOrder``.
package protocol MessageCarrier: AnyObject, Sendable {
    /// Called once, before anything is carried.
    /// - Parameter resume: to be called, from any thread, whenever the destination can be reached again: what waits because of
    ///   ``DeliveryOutcome/unavailable(_:retryAfter:)`` is then carried at once, and not when the pause is over.
    func begin(_ resume: @escaping @Sendable () -> Void)

    /// Called on the outbox's thread when the destination is tried again, after `resume` or by hand, before anything is carried. The outbox
    /// has taken all outcomes that were told before.
    func resumed()

    /// Begins to carry a message that is on disk. Called on the outbox's thread, one call after the other, in the order in which
    /// messages have to arrive; must return at once.
    /// - Parameter completion: to be called exactly once, from any thread, also inside of the call. A carrier that ends
    ///   calls it with ``DeliveryOutcome/unavailable(_:retryAfter:)`` for everything under way.
    func carry(_ message: OutboxMessage, completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension MessageCarrier {
    package func resumed() {}
}

/// The outcome of carrying a message.
package enum DeliveryOutcome: Sendable, Hashable {
    /// It has arrived, and the destination says so: a 2xx, a PUBACK.
    case delivered
    /// The destination does not take this message: it is tried again by the schedule, and others may pass it meanwhile.
    case refused(String)
    /// The recipient of the message is not there: nothing of its device is carried until ``Outbox/resume(_:device:)``, or half a
    /// minute.
    case absent(String)
    /// The destination is out of reach or too busy for anything: nothing is sent for a while, and nothing passes.
    /// - Parameter retryAfter: how long the destination wants to be left alone; nil when it has not said.
    case unavailable(String, retryAfter: Duration? = nil)
    /// The destination wants nothing any more (HTTP 410): it is disabled until ``Outbox/resume(_:)``, a change of its settings or carrier, or
    /// the next run.
    case gone(String)
}

/// The limit of messages of a destination under way at once, and their dependence.
package enum DeliveryOrder: Sendable, Hashable {
    /// One of each device at a time, so many in all. With `isStrict` a message that is refused holds back its device until it is
    /// dead; otherwise for 30 seconds, and is retried beside the others then.
    case device(concurrency: Int, isStrict: Bool)
    /// No order, so many at once.
    case none(concurrency: Int)
    /// One after the other in the order of the outbox, so many at once, without waiting for outcomes: what carries them keeps their
    /// order. When one comes back as unavailable, all behind it that are under way come back too, and are carried again in order.
    case pipelined(window: Int)
}
