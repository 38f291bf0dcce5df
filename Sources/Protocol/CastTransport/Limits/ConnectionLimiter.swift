package import NIOCore
import Synchronization

/// Counts the connections of one kind of listener: in total, per address, how fast they come, how many have not
/// finished TLS, or the request that they are for, and how many bytes they make the gateway keep.
///
/// Addresses are counted by ``AddressBlock``. When there is no room, one gives way (``ConnectionTable``): an honest handshake or request
/// takes milliseconds, so peers that only hold connections open lose them first.
package final class ConnectionLimiter: Sendable {
    /// Why a connection was turned away.
    package enum Refusal: String, Error, Hashable, Sendable {
        /// The gateway has as many as it may.
        case tooManyInTotal = "too many connections"
        /// The address has as many as it may.
        case tooManyFromAddress = "too many connections from this address"
        /// The address makes new ones too fast.
        case tooFast = "too many new connections a second from this address"
        /// The address has too many that have not finished TLS.
        case tooManyHandshakes = "too many unfinished handshakes from this address"
        /// What the connections of this kind make the gateway keep is as much as it may be.
        case tooManyBytes = "no memory left for another connection"
        /// What the connections of the address make the gateway keep is as much as it may be.
        case tooManyBytesFromAddress = "no memory left for another connection from this address"
    }

    /// Addresses kept in mind at most, beside those that are connected.
    private static let maximumIdle = 8192
    /// Connections from one address that need not have finished TLS, at least.
    private static let minimumHandshakes = 32
    /// Connections that were told to end and may still be there, at least.
    private static let minimumLeaving = 8

    private struct State {
        var limits: ConnectionLimits
        var table = ConnectionTable()
        var arrivals: [AddressBlock: TokenBucket] = [:]
        var nextPurge = 1024
    }

    private let state: Mutex<State>

    package init(_ limits: ConnectionLimits) {
        self.state = Mutex(State(limits: limits))
    }

    /// Changes the limits for connections to come; none is closed. What an address has made of late is held against it under a new rate
    /// too.
    /// - Parameter now: when they change.
    package func limit(_ limits: ConnectionLimits, at now: NIODeadline) {
        self.state.withLock { state in
            let before = state.limits.newPerSecond
            state.limits = limits
            guard limits.newPerSecond != before else { return }
            guard let rate = limits.newPerSecond else { return state.arrivals = [:] }
            for block in state.arrivals.keys {
                state.arrivals[block]?.change(perSecond: rate, burst: rate * 2, at: now)
            }
        }
    }

    // MARK: Connections

    /// Counts a connection in.
    /// - Parameters:
    ///   - address: whose it is, without the port.
    ///   - bytes: what it makes the gateway keep from now until its end.
    ///   - now: when it came.
    ///   - evict: ends the connection at once, should it have to give way; called at most once, on any thread.
    /// - Returns: what must be told when TLS stands and when the connection is gone.
    /// - Throws: ``Refusal`` when it is one too many; it is not counted then, other than against the rate.
    package func admit(
        _ address: String, bytes: Int = 0, at now: NIODeadline, evict: @escaping @Sendable () -> Void = {}
    ) throws(Refusal) -> ConnectionAdmission {
        let block = AddressBlock(address)
        var evictions: [@Sendable () -> Void] = []
        let result: Result<UInt64, Refusal> = self.state.withLock { state in
            // A connection that is refused for another reason is charged as well: a refusal is work too.
            if !self.isInTime(block, in: &state, at: now) { return .failure(.tooFast) }
            if let refusal = Self.makeRoom(for: block, bytes: bytes, in: &state, at: now, &evictions) {
                return .failure(refusal)
            }
            return .success(state.table.insert(block, bytes: bytes, at: now, evict: evict))
        }
        for evict in evictions { evict() }
        return ConnectionAdmission(limiter: self, number: try result.get())
    }

    /// - Returns: why there is none; nil when there is.
    private static func makeRoom(
        for block: AddressBlock, bytes: Int, in state: inout State, at now: NIODeadline,
        _ evictions: inout [@Sendable () -> Void]
    ) -> Refusal? {
        let limits = state.limits
        let own = state.table[block]
        func evict(_ number: UInt64?) -> Bool {
            guard let number, let eviction = state.table.takeOut(number) else { return false }
            evictions.append(eviction)
            return true
        }
        if let most = limits.bytesPerAddress, own.bytes + bytes > most { return .tooManyBytesFromAddress }
        if let most = limits.unfinishedPerAddress {
            let isFull = own.count - own.leaving >= limits.perAddress
            let isEvicted = evict(state.table.oldestStranger(of: block, beyond: isFull ? 1 : most))
            if isFull, !isEvicted { return .tooManyFromAddress }
        } else if own.count >= limits.perAddress {
            return .tooManyFromAddress
        } else if limits.newPerSecond != nil,
            own.unfinished >= max(self.minimumHandshakes, limits.perAddress / 2)
        {
            return .tooManyHandshakes
        }
        // Connections that were told to end are gone in a moment, and until then there is only so much room beside what is allowed. An
        // address that has connections uses half of it: an address that has none finds the rest in the middle of a flood.
        let share = own.count > 0 ? 2 : 1
        if state.table.leaving > max(self.minimumLeaving, limits.total / 8) / share { return .tooManyInTotal }
        if let most = limits.bytes, state.table.leavingBytes > most / 8 / share { return .tooManyBytes }
        if evictions.isEmpty, state.table.unfinished >= max(limits.total / 2, 1) {
            _ = evict(state.table.overdue(at: now))
        }
        while state.table.staying >= limits.total || state.table.stayingBytes + bytes > limits.bytes ?? .max {
            let isFull = state.table.staying >= limits.total
            guard evict(state.table.victim(for: block, at: now)) else {
                return isFull ? .tooManyInTotal : .tooManyBytes
            }
        }
        return nil
    }

    /// New connections a second that one address may make; nil for no limit.
    package var newPerSecond: Int? { self.state.withLock { $0.limits.newPerSecond } }

    /// How many are counted in now.
    package var count: Int { self.state.withLock { $0.table.count } }

    /// How many bytes they make the gateway keep.
    package var bytes: Int { self.state.withLock { $0.table.bytes } }

    /// How many of them have not finished TLS, without those that were told to end.
    package var unfinishedCount: Int { self.state.withLock { $0.table.unfinished } }

    /// How many addresses are kept in mind.
    package var addressCount: Int { self.state.withLock { $0.arrivals.count } }

    // MARK: For one connection

    func secured(_ number: UInt64) { self.state.withLock { $0.table.finish(number) } }

    func idle(_ number: UInt64) { self.state.withLock { $0.table.rest(number) } }

    func release(_ number: UInt64) { self.state.withLock { $0.table.remove(number) } }

    /// Adds to what a connection makes the gateway keep.
    /// - Returns: false when there is no room for it, and nothing is added.
    func charge(_ number: UInt64, _ bytes: Int) -> Bool {
        var evictions: [@Sendable () -> Void] = []
        let isTaken = self.state.withLock { state in
            guard let block = state.table.block(of: number) else { return false }
            if let most = state.limits.bytesPerAddress, state.table[block].bytes + bytes > most { return false }
            if let most = state.limits.bytes {
                guard state.table.leavingBytes <= most / 8 else { return false }
                while state.table.stayingBytes + bytes > most {
                    // It is the first to give way itself.
                    guard let victim = state.table.victim(for: block, at: .now()), victim != number,
                        let eviction = state.table.takeOut(victim)
                    else { return false }
                    evictions.append(eviction)
                }
            }
            state.table.charge(number, bytes)
            return true
        }
        for evict in evictions { evict() }
        return isTaken
    }

    func refund(_ number: UInt64, _ bytes: Int) { self.state.withLock { $0.table.charge(number, -bytes) } }

    // MARK: Rates

    /// Whether an address comes no faster than it may; makes room for a new one when the table has grown large.
    private func isInTime(_ block: AddressBlock, in state: inout State, at now: NIODeadline) -> Bool {
        guard let rate = state.limits.newPerSecond else { return true }
        var bucket: TokenBucket
        if let known = state.arrivals[block] {
            bucket = known
        } else {
            if state.arrivals.count >= state.nextPurge { self.purge(&state, at: now) }
            bucket = TokenBucket(perSecond: rate, burst: rate * 2, at: now)
        }
        let isInTime = bucket.take(at: now)
        state.arrivals[block] = bucket
        return isInTime
    }

    private func purge(_ state: inout State, at now: NIODeadline) {
        let table = state.table
        state.arrivals = state.arrivals.filter { table[$0.key].count > 0 || !$0.value.isFull(at: now) }
        if state.arrivals.count >= Self.maximumIdle {
            state.arrivals = state.arrivals.filter { table[$0.key].count > 0 }
        }
        state.nextPurge = max(1024, state.arrivals.count * 2)
    }
}

/// A connection that ``ConnectionLimiter`` counts: told when something whole has come, when it is idle again, what it makes the gateway
/// keep beside its own cost, and when the connection is gone.
package final class ConnectionAdmission: Sendable {
    private let limiter: ConnectionLimiter
    private let number: UInt64

    init(limiter: ConnectionLimiter, number: UInt64) {
        self.limiter = limiter
        self.number = number
    }

    /// Something whole has come: TLS stands on a Cast channel, or a request is complete, or the caller is known where callers
    /// have names. It does not give way to others any more that have shown less.
    package func secured() { self.limiter.secured(self.number) }

    /// The connection is kept for another request and does nothing meanwhile, so it may be evicted again.
    package func idle() { self.limiter.idle(self.number) }

    /// The connection makes the gateway keep so many bytes more.
    /// - Returns: false when its listener, or its address, has no room for them: then nothing is counted, and nothing may be kept.
    package func charge(_ bytes: Int) -> Bool { bytes <= 0 || self.limiter.charge(self.number, bytes) }

    /// The gateway keeps so many of the bytes that were charged no more.
    package func refund(_ bytes: Int) {
        if bytes > 0 { self.limiter.refund(self.number, bytes) }
    }

    /// The connection is gone, and everything that it made the gateway keep. Later calls do nothing.
    package func release() { self.limiter.release(self.number) }
}
