import NIOCore

/// What a router has counted, and how it counts.
extension MessageRouter {
    /// How many messages were refused or dropped, by reason.
    public var counts: RoutingCounts { self.executor.counts }

    /// What became of the messages; nil while they are not counted.
    package var messageCounts: MessageCounts? { self.executor.meter?.counts }

    /// The handlers that failed too often and are not asked for a while.
    public var suspendedHandlers: [String] {
        Set(self.registry.table.entries.filter { self.breakers.isOpen($0) }.map(\.handler.name)).sorted()
    }

    /// Counts a message that was not routed since it follows from too many others.
    public func countLoop() {
        self.executor.countLoop()
    }

    /// Begins to count, or ends it.
    func count(by metering: MessageMetering?) {
        guard self.executor.metering != metering else { return }
        if let meter = self.executor.meter { self.executor.metering?.retire(meter) }
        self.executor.metering = metering
        self.executor.meter = metering?.makeMeter(
            device: self.executor.device, leg: self.leg, registry: self.registry, on: self.eventLoop)
    }

    /// Has a handler look at a message, and takes how long it took; of one that defers its verdict, later.
    func measured(
        _ entry: HandlerTable.Entry, about traversal: ChainTraversal, _ handle: (RoutedMessage) throws -> Verdict
    ) throws -> Verdict {
        guard let meter = self.executor.meter else { return try handle(traversal.routed) }
        let began = self.eventLoop.now
        do {
            let verdict = try handle(traversal.routed)
            if case .deferred = verdict.disposition {
                traversal.askedAt = began
            } else {
                meter.decided(in: entry.claim.phase, after: self.eventLoop.now - began)
            }
            return verdict
        } catch {
            meter.decided(in: entry.claim.phase, after: self.eventLoop.now - began)
            throw error
        }
    }

    /// Takes how long a handler took that has deferred its verdict.
    func measureDeferred(_ entry: HandlerTable.Entry, about traversal: ChainTraversal) {
        guard let askedAt = traversal.askedAt else { return }
        traversal.askedAt = nil
        self.executor.meter?.decided(in: entry.claim.phase, after: self.eventLoop.now - askedAt)
    }
}
