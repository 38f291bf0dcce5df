/// One subscriber's view of the event bus.
public struct EventSubscription: Sendable {
    /// The events, oldest first.
    public let events: AsyncStream<GatewayEvent>
    let dropped: DropCounter

    /// How many events were lost because nobody took them in time.
    public var droppedCount: Int { self.dropped.count }
}
