import ControlAPI
import FeatureContract
import GatewayCore
import GatewayMetrics
import GatewayOperations
import Logging
import NIOCore
import NIOPosix
import StateStore
import Synchronization

/// What join codes and guests are told by, and the clocks that they go by.
struct GuestContext: Sendable {
    let events: EventBus
    let audit: any AuditTrail
    let metrics: MetricsRegistry
    let logger: Logger
    /// Where the timer is.
    let eventLoop: any EventLoop
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64
    /// Why nothing is kept beyond this run; nil when all is.
    let obstacle: String?
    /// Takes guests whose time is over, to end what they do; must not block.
    let depart: @Sendable (GuestDeparture) -> Void

    static func notKept(_ reason: String) -> OperationProblem {
        OperationProblem("not_kept", status: 409, "the state cannot be written, so nothing has changed: \(reason)")
    }

    func publish(_ change: JoinChange) { self.events.publish(.join(change)) }

    func record(_ event: AuditEntry.Event, _ outcome: String, caller: String? = nil, address: String? = nil) {
        self.audit.record(AuditEntry(event, outcome: outcome, caller: caller, address: address))
    }

    /// Counts an attempt to redeem a code.
    func count(_ outcome: String) { self.metrics.counter(.joinAttempts, outcome).increment() }
}

/// A guest that has gone, with the apps that the guest has joined.
struct GuestDeparture: Sendable {
    let guest: Guest
    let sessions: Set<GuestSession>
    /// Why, for logs and events.
    let reason: String
    /// Whether the guest left before the gateway was started again.
    var isResumed = false
}

/// Keeps the guests: from when they have redeemed a code until they check out, or their time is over.
///
/// Its methods block for the state database; what is asked on event loops is in ``book``. Times of day are asked of a clock that is
/// passed in; the one timer is an event loop's.
package final class GuestRegistry: Sendable {
    /// Longer than that no timer waits, since the time of day may be set meanwhile.
    private static let longestWait: Int64 = 3600

    private struct State {
        var timer: (at: UTCTime, task: Scheduled<Void>)?
        var isClosed = false
    }

    /// The guests that there are now.
    package let book: GuestTable
    private let store: JoinStore
    private let authority: any TokenIssuer
    private let context: GuestContext
    private let state = Mutex(State())

    /// Reads the guests that are kept; blocks.
    /// - Throws: when the state database cannot be read.
    init(store: JoinStore, authority: any TokenIssuer, context: GuestContext) throws {
        self.store = store
        self.authority = authority
        self.context = context
        let logger = context.logger
        self.book = GuestTable(wallClock: context.wallClock) { session, guest in
            NIOThreadPool.singleton.submit { state in
                guard state == .active else { return }
                do {
                    try store.add(session, of: guest)
                } catch {
                    logger.debug("An app of a guest is not kept", metadata: ["reason": "\(error)"])
                }
            }
        }
        for (guest, sessions) in try store.guests() { self.book.insert(guest, sessions: sessions) }
        self.schedule()
    }

    private var now: UTCTime { UTCTime(seconds: self.context.wallClock()) }

    /// Adds a guest who is kept already.
    func add(_ guest: Guest) {
        self.book.insert(guest)
        self.schedule()
    }

    // MARK: Check-out

    /// The guests, the oldest first; those whose time is over are taken out.
    var guests: [Guest] {
        self.settle()
        return self.book.all
    }

    /// Checks guests out: from now on they may do nothing. What they do is the caller's to end.
    /// - Throws: `not_kept` (409).
    func checkOut(_ guests: [Guest], by caller: Caller) throws(OperationProblem) -> [GuestDeparture] {
        try self.remove(guests, reason: "checked out by \(caller.name)", caller: caller.name)
    }

    private func remove(
        _ guests: [Guest], reason: String, caller: String?
    ) throws(OperationProblem) -> [GuestDeparture] {
        // Tokens first: one that outlived its guest would not be known as a guest's.
        for token in guests.compactMap(\.token) { try self.revoke(token: token) }
        do {
            try self.store.delete(guests: guests.map(\.id), departed: (reason, self.now))
        } catch {
            throw GuestContext.notKept(DatabaseErrorText.words(error))
        }
        // Of two that check a guest out at once, one has done so.
        let departures = guests.compactMap { guest in
            self.book.remove(guest.id).map { GuestDeparture(guest: guest, sessions: $0, reason: reason) }
        }
        for departure in departures {
            let guest = departure.guest
            self.context.record(.guestLeft, guest.id, caller: caller, address: guest.address)
            self.context.publish(
                .guestLeft(
                    guest: guest.id, name: guest.name, devices: guest.devices.map(\.text), address: guest.address,
                    reason: reason))
        }
        return departures
    }

    /// Takes a guest back who was let in a moment ago, with the token, and without a word: the guest comes again at once.
    /// - Throws: `not_kept` (409).
    func withdraw(_ guest: Guest) throws(OperationProblem) {
        if let token = guest.token { try self.revoke(token: token) }
        do {
            try self.store.delete(guests: [guest.id])
        } catch {
            throw GuestContext.notKept(DatabaseErrorText.words(error))
        }
        _ = self.book.remove(guest.id)
    }

    /// Ends the connections of the token's holder too.
    private func revoke(token: String) throws(OperationProblem) {
        do throws(OperationProblem) {
            try self.authority.withdraw(token)
        } catch {
            // One that was revoked before, by itself, is none any more.
            guard error.code == "unknown_token" else { throw error }
        }
    }

    // MARK: Time

    /// Has guests leave whose time is over, and waits for the next end; blocks.
    func settle() {
        let now = self.now
        let over = self.book.over(at: now)
        if !over.isEmpty {
            do throws(OperationProblem) {
                let departures = try self.remove(over, reason: "the guest's time is over", caller: nil)
                for departure in departures { self.context.depart(departure) }
            } catch {
                self.context.logger.warning("Guests are not forgotten", metadata: ["reason": "\(error)"])
            }
        }
        self.schedule()
    }

    private func schedule() {
        guard let next = self.book.nextEnd else { return }
        let now = self.now
        self.state.withLock { state in
            guard !state.isClosed else { return }
            let wait = min(max(next.seconds - now.seconds, 1), Self.longestWait)
            let at = UTCTime(seconds: now.seconds + wait)
            if let timer = state.timer, timer.at <= at, timer.at > now { return }
            state.timer?.task.cancel()
            let task = self.context.eventLoop.scheduleTask(in: .seconds(wait)) { [weak self] () -> Void in
                guard let self else { return }
                NIOThreadPool.singleton.submit { state in
                    if state == .active { self.timerFired() }
                }
            }
            state.timer = (at, task)
        }
    }

    private func timerFired() {
        self.state.withLock { $0.timer = nil }
        self.settle()
    }

    /// Ends all waiting.
    func close() {
        let timer = self.state.withLock { state in
            state.isClosed = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.task.cancel()
    }
}
