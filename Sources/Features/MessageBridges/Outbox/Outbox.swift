package import GatewayCore
package import GatewayJournal
import Glibc
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// The outbox: everything that Castway has taken for a destination, on disk until it has arrived.
///
/// How it works: event loops, operations and the journal hand drafts over (``take(_:whenTaken:)``), which costs them a lock. The outbox's
/// own thread has all that wait written in one transaction (``OutboxWriter``), so it commits at once when idle and in groups under load; what
/// arrives during a commit is the next group. Only what was committed is carried (``MessageCarrier``), in the order that each destination's
/// ``DeliveryQueue`` says, and stays in the database until the destination has taken it. So nothing that was taken is lost when the
/// process is killed; what was under way then is carried again, with the same id.
package final class Outbox: Sendable {
    /// A destination, and what brings messages there.
    package struct Destination: Sendable {
        /// Its name: `webhook:backend`, `mqtt`, `app`.
        package var name: String
        package var settings: DestinationSettings
        package var carrier: any MessageCarrier

        package init(_ name: String, _ settings: DestinationSettings, carrier: any MessageCarrier) {
            self.name = name
            self.settings = settings
            self.carrier = carrier
        }
    }

    /// The reason a message was not taken.
    package enum Refusal: Error, Hashable, Sendable {
        case unknownDestination
        /// As much waits for the destination as may, or more comes than the disk can keep up with.
        case full
        /// The disk cannot be written; the system's words.
        case unwritable(String)
        case stopped
    }

    struct Pending: Sendable {
        let drafts: [OutboxDraft]
        let whenTaken: (@Sendable (Result<[String], Refusal>) -> Void)?

        var cost: Int { self.drafts.reduce(0) { $0 + $1.cost } }
    }

    struct Settled: Sendable {
        let message: OutboxMessage
        let outcome: DeliveryOutcome
        let carrier: any MessageCarrier
    }

    private struct Inbox {
        var pending: [Pending] = []
        /// The size of what is pending or being written.
        var count = 0
        var bytes = 0
        var eventLoop: (any EventLoop)?
        /// Set once there is something for the thread to do.
        var isNeeded = false
        var isStopped = false
    }

    /// The limit of what waits to be written.
    private static let limit = (count: 16_384, bytes: 32 << 20)

    let clock: JournalClock
    let logger: Logger
    let events: EventBus
    /// The counts, and what waits for each destination.
    let ledger = OutboxLedger()
    private let inbox = Mutex(Inbox())
    /// Outcomes that the thread has not looked at.
    private let settled = Mutex<[Settled]>([])
    private let worker = Current<NIOLoopBound<OutboxWorker>?>(nil)
    private let destinations = Mutex<[Destination]>([])
    private let path: String?
    /// Opens when there is something for the thread to do.
    private let needed = Latch()

    /// Makes an outbox that waits for its thread.
    /// - Parameter path: of its database; nil keeps everything in memory.
    package init(path: String?, events: EventBus, clock: JournalClock = .system, logger: Logger) {
        self.path = path
        self.events = events
        self.clock = clock
        self.logger = logger
        if let path, access(path, F_OK) == 0 { self.start() }
    }

    private func start() {
        self.inbox.withLock { $0.isNeeded = true }
        self.needed.open()
    }

    /// Milliseconds since 1970.
    package var now: Int64 { self.clock.wall() }

    // MARK: In

    /// Takes messages, all of them or none, from any thread.
    /// - Parameter whenTaken: called on the outbox's thread with their ids when they are on disk, or with why they are not; a message
    ///   whose caller does not ask is kept in memory until the disk can be written again.
    /// - Throws: ``Refusal`` when they are not taken.
    package func take(
        _ drafts: [OutboxDraft], whenTaken: (@Sendable (Result<[String], Refusal>) -> Void)? = nil
    ) throws(Refusal) {
        if drafts.isEmpty {
            whenTaken?(.success([]))
            return
        }
        try self.ledger.admit(drafts)
        let item = Pending(drafts: drafts, whenTaken: whenTaken)
        let cost = item.cost
        let (refusal, eventLoop): (Refusal?, (any EventLoop)?) = self.inbox.withLock { inbox in
            if inbox.isStopped { return (.stopped, nil) }
            guard inbox.count < Self.limit.count, inbox.bytes + cost <= Self.limit.bytes else { return (.full, nil) }
            let isFirst = inbox.pending.isEmpty
            inbox.pending.append(item)
            inbox.count += drafts.count
            inbox.bytes += cost
            return (nil, isFirst ? inbox.eventLoop : nil)
        }
        if let refusal {
            self.ledger.takeBack(drafts, isOverflow: refusal == .full)
            throw refusal
        }
        eventLoop?.execute { self.work() }
    }

    func takePending() -> [Pending] {
        self.inbox.withLock { inbox in
            defer { inbox.pending = [] }
            return inbox.pending
        }
    }

    /// Something that waited was written, or given back.
    func forget(_ items: [Pending]) {
        self.inbox.withLock { inbox in
            for item in items {
                inbox.count -= item.drafts.count
                inbox.bytes -= item.cost
            }
        }
    }

    /// Takes an outcome, from any thread. Those that come together are looked at together.
    func settle(_ settled: Settled) {
        let isFirst = self.settled.withLock { all in
            all.append(settled)
            return all.count == 1
        }
        if isFirst { self.execute { $0.settleAll() } }
    }

    func takeSettled() -> [Settled] {
        self.settled.withLock { all in
            defer { all = [] }
            return all
        }
    }

    private func work() { self.worker.value?.value.work() }

    // MARK: Destinations

    /// Sets where messages can be brought from now on. Messages for destinations that are not among them stay in the database.
    package func setDestinations(_ destinations: [Destination]) {
        self.ledger.setLimits(destinations)
        self.destinations.withLock { $0 = destinations }
        if !destinations.isEmpty { self.start() }
        self.inbox.withLock { $0.eventLoop }?.execute {
            self.worker.value?.value.setDestinations(destinations)
        }
    }

    /// The reason nothing is kept beyond the process; nil when it is.
    package var volatility: String? { self.ledger.volatility }

    /// The status of each destination, by name.
    package var standings: [String: OutboxStatistics] { self.ledger.standings }

    /// The number of transactions that were written, in this run.
    package var commits: Int { self.ledger.commits }

    /// The number of bytes the files of the database have; nil while there is none.
    package var bytesOnDisk: Int? {
        guard let path, self.volatility == nil else { return nil }
        let sizes = ["", "-wal"].compactMap { suffix -> Int? in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? Int(status.st_size) : nil
        }
        return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }

    // MARK: For operations

    /// Messages as they are shown, oldest first.
    /// - Parameter id: those behind this one; nil for the first.
    /// - Throws: what the database says.
    package func list(_ selection: OutboxSelection, after id: String? = nil, limit: Int) async throws -> [OutboxEntry] {
        try await self.ask { try $0.list(selection, after: id, limit: limit) } ?? []
    }

    /// Retries dead letters.
    /// - Returns: how many.
    /// - Throws: what the database says.
    package func replay(_ selection: OutboxSelection) async throws -> Int {
        try await self.ask { try $0.replay(selection) } ?? 0
    }

    /// Removes messages for good. One that is under way may arrive all the same.
    /// - Returns: how many.
    /// - Throws: what the database says.
    package func purge(_ selection: OutboxSelection) async throws -> Int {
        try await self.ask { try $0.purge(selection) } ?? 0
    }

    /// Has a destination tried at once that is paused or disabled.
    package func resume(_ destination: String) async throws {
        _ = try await self.ask { $0.resume(destination) }
    }

    /// True until the database is open; before, nothing tells which messages wait in it.
    package var isOpening: Bool {
        self.inbox.withLock { $0.isNeeded && $0.eventLoop == nil && !$0.isStopped }
    }

    /// Counts the messages that wait for a device.
    /// - Throws: what the database says.
    package func count(for destination: String, device: String) async throws -> Int {
        try await self.ask { worker in
            // What is being written waits too, and nothing may overtake it.
            worker.writeAll()
            return try worker.store.count(for: destination, device: device)
        } ?? 0
    }

    /// Says that what the messages of a device are for is there: what waits because of ``DeliveryOutcome/absent(_:)`` is carried.
    package func resume(_ destination: String, device: String) {
        self.execute { $0.resume(destination, device: device) }
    }

    /// Has something done on the thread, from any thread; nothing once the outbox has stopped.
    func execute(_ work: @escaping @Sendable (OutboxWorker) -> Void) {
        guard let eventLoop = self.inbox.withLock({ $0.eventLoop }) else { return }
        eventLoop.execute {
            if let worker = self.worker.value { work(worker.value) }
        }
    }

    /// Asks the thread for something that the database knows.
    /// - Returns: nil when there is no database, since nothing was ever taken.
    private func ask<Value: Sendable>(
        _ question: @escaping @Sendable (OutboxWorker) throws -> Value
    ) async throws -> Value? {
        guard let eventLoop = self.inbox.withLock({ $0.eventLoop }), let worker = self.worker.value else {
            return nil
        }
        return try await eventLoop.submit { try question(worker.value) }.get()
    }

    // MARK: Running

    /// Runs until graceful shutdown or cancellation. What was taken until then is on disk when it returns. There is neither thread nor
    /// database before a destination needs them, or where none has left anything.
    func run() async throws {
        await withGracefulShutdownHandler {
            await self.needed.waitUnlessCancelled()
        } onGracefulShutdown: {
            self.needed.open()
        }
        guard !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        do {
            try await eventLoop.submit {
                let worker = OutboxWorker(self, try self.openStore(), eventLoop)
                self.worker.set(NIOLoopBound(worker, eventLoop: eventLoop))
                self.inbox.withLock { $0.eventLoop = eventLoop }
                worker.begin()
                worker.setDestinations(self.destinations.withLock { $0 })
            }.get()
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        eventLoop.execute { self.work() }
        try? await gracefulShutdown()
        self.inbox.withLock { inbox in
            inbox.isStopped = true
            inbox.eventLoop = nil
        }
        try? await eventLoop.submit {
            self.worker.value?.value.stop()
            self.worker.set(nil)
        }.get()
        try? await group.shutdownGracefully()
    }

    /// Opens the database. One that is damaged is put aside under another name, which is logged; where nothing can be written, messages
    /// are kept in memory.
    private func openStore() throws -> OutboxStore {
        let opened = try OutboxOpening(path: self.path).open()
        if let reason = opened.problem {
            self.logger.error("The outbox is not what it was", metadata: ["reason": "\(reason)"])
        }
        self.ledger.setVolatility(opened.volatility)
        return opened.store
    }
}

package struct OutboxService: Service, CustomStringConvertible {
    private let outbox: Outbox

    package init(_ outbox: Outbox) {
        self.outbox = outbox
    }

    /// `outbox`
    package var description: String { "outbox" }

    package func run() async throws { try await self.outbox.run() }
}
