import GatewayCore
import Logging
import NIOCore
import SystemPrimitives

/// Operations of the outbox's thread beside carrying.
extension OutboxWorker {
    // MARK: Housekeeping

    func keepHouse() {
        for (name, count) in self.outbox.ledger.takeOverflows() {
            self.outbox.events.publish(.bridge(name: name, .overflow(count: count)))
            self.outbox.logger.warning(
                "Messages were not taken, since too much waits",
                metadata: ["bridge": "\(name)", "count": .stringConvertible(count)])
        }
        do {
            for (name, route) in self.routes {
                let settings = route.queue.settings
                let forgotten = try self.store.forgetDead(
                    of: name, before: self.wallClock - settings.deadAge.wholeMilliseconds, keeping: settings.deadSize)
                self.outbox.ledger.update(name) { $0.dead -= forgotten }
            }
            try self.store.shrink()
        } catch {
            self.complain(error)
        }
    }

    // MARK: For operations

    func replay(_ selection: OutboxSelection) throws -> Int {
        self.writeAll()
        let totals = try self.store.replay(selection, at: self.wallClock)
        for total in totals {
            self.outbox.ledger.update(total.destination) { standing in
                standing.dead -= total.count
                standing.waiting += total.count
                standing.waitingBytes += total.bytes
            }
            self.routes[total.destination]?.queue.foundParked(due: self.now)
        }
        self.advance()
        return totals.reduce(0) { $0 + $1.count }
    }

    /// Takes messages out. One that is under way may arrive all the same.
    func purge(_ selection: OutboxSelection) throws -> Int {
        self.writeAll()
        var count = 0
        while true {
            let purged = try self.store.purge(selection)
            count += purged.count
            let sequences = Dictionary(grouping: purged, by: \.message.destination)
            for (name, entries) in sequences {
                self.routes[name]?.queue.forget(Set(entries.map(\.message.sequence)))
                self.outbox.ledger.update(name) { standing in
                    for entry in entries {
                        if entry.state == .dead { standing.dead -= 1 } else { standing.take(entry.message) }
                    }
                }
            }
            if purged.count < OutboxStore.purgeLimit { return count }
        }
    }

    func list(_ selection: OutboxSelection, after id: String?, limit: Int) throws -> [OutboxEntry] {
        self.writeAll()
        let sequence = id.flatMap { OutboxID($0) }?.sequence ?? 0
        return try self.store.list(selection, after: sequence, limit: limit)
    }
}
