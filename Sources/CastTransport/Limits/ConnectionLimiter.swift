public import NIOCore
import Synchronization

/// Counts the connections of one kind of listener: in total, per address, how fast they come, and how many have not
/// finished TLS, or the request that they are for.
///
/// Addresses are counted by ``AddressBlock``. When too many connections have not finished TLS, the oldest of them goes:
/// an honest handshake takes milliseconds, so peers that only hold connections open lose them first.
public final class ConnectionLimiter: Sendable {
    /// Why a connection was turned away.
    public enum Refusal: String, Error, Hashable, Sendable {
        /// The gateway has as many as it may.
        case tooManyInTotal = "too many connections"
        /// The address has as many as it may.
        case tooManyFromAddress = "too many connections from this address"
        /// The address makes new ones too fast.
        case tooFast = "too many new connections a second from this address"
        /// The address has too many that have not finished TLS.
        case tooManyHandshakes = "too many unfinished handshakes from this address"
    }

    /// Addresses kept in mind at most, beside those that are connected.
    private static let maximumIdle = 8192
    /// Connections from one address that need not have finished TLS, at least.
    private static let minimumHandshakes = 32

    private struct Entry {
        var count = 0
        var unfinished = 0
        var arrivals: TokenBucket
    }

    /// A connection that may be evicted.
    private struct Unfinished {
        let block: AddressBlock
        /// Whether something whole came once, and nothing is under way.
        let isIdle: Bool
        let evict: @Sendable () -> Void
    }

    private struct State {
        var maximumTotal: Int
        var maximumPerAddress: Int
        var maximumUnfinished: Int?
        var newPerSecond: Int?
        var total = 0
        var entries: [AddressBlock: Entry] = [:]
        /// Each connection whose TLS is not finished, by age.
        var unfinished: [UInt64: Unfinished] = [:]
        var nextNumber: UInt64 = 0
        var nextPurge = 1024
    }

    private let state: Mutex<State>

    /// Sets the limits.
    /// - Parameter newPerSecond: new connections a second from one address; twice as many may come at once, and they
    ///   limit unfinished handshakes per address too. Nil sets no such limits.
    /// - Parameter maximumUnfinished: how many of an address may be unfinished, without idle ones; the oldest of them goes for the next. Nil
    ///   turns the next away instead, beyond half of `maximumPerAddress`.
    public init(
        maximumTotal: Int, maximumPerAddress: Int, newPerSecond: Int? = nil, maximumUnfinished: Int? = nil
    ) {
        self.state = Mutex(
            State(
                maximumTotal: maximumTotal, maximumPerAddress: maximumPerAddress,
                maximumUnfinished: maximumUnfinished, newPerSecond: newPerSecond))
    }

    /// Changes the limits for connections to come; none is closed.
    /// - Parameters:
    ///   - newPerSecond: as for ``init(maximumTotal:maximumPerAddress:newPerSecond:)``; what an address has made of late
    ///     is held against it under the new rate too.
    ///   - maximumUnfinished: as for the initialiser.
    ///   - now: when they change.
    public func limit(
        total: Int, perAddress: Int, newPerSecond: Int?, maximumUnfinished: Int? = nil, at now: NIODeadline
    ) {
        self.state.withLock { state in
            state.maximumTotal = total
            state.maximumPerAddress = perAddress
            state.maximumUnfinished = maximumUnfinished
            guard newPerSecond != state.newPerSecond else { return }
            state.newPerSecond = newPerSecond
            if newPerSecond == nil { state.entries = state.entries.filter { $0.value.count > 0 } }
            let rate = newPerSecond ?? 1
            for block in state.entries.keys {
                state.entries[block]?.arrivals.change(perSecond: rate, burst: rate * 2, at: now)
            }
        }
    }

    /// Counts a connection in.
    /// - Parameters:
    ///   - address: whose it is, without the port.
    ///   - now: when it came.
    ///   - evict: ends the connection, should it be the oldest of too many that have not finished TLS; called at most
    ///     once, on any thread.
    /// - Returns: what must be told when TLS stands and when the connection is gone.
    /// - Throws: ``Refusal`` when it is one too many; it is not counted then, other than against the rate.
    public func admit(
        _ address: String, at now: NIODeadline, evict: @escaping @Sendable () -> Void = {}
    ) throws(Refusal) -> ConnectionAdmission {
        let block = AddressBlock(address)
        let result: Result<(UInt64, victim: (@Sendable () -> Void)?), Refusal> = self.state.withLock { state in
            var entry = self.entry(for: block, in: &state, at: now)
            // A connection that is refused for another reason is charged as well: a refusal is work too.
            let isInTime = state.newPerSecond == nil || entry.arrivals.take(at: now)
            state.entries[block] = entry
            if !isInTime { return .failure(.tooFast) }
            if entry.count >= state.maximumPerAddress { return .failure(.tooManyFromAddress) }
            var victim: (@Sendable () -> Void)?
            if let most = state.maximumUnfinished {
                if entry.unfinished >= most { victim = Self.takeOldest(of: block, beyond: most, in: &state) }
            } else if state.newPerSecond != nil,
                entry.unfinished >= max(Self.minimumHandshakes, state.maximumPerAddress / 2)
            {
                return .failure(.tooManyHandshakes)
            }
            if victim == nil, state.unfinished.count >= max(state.maximumTotal / 2, 1),
                let oldest = state.unfinished.keys.min()
            {
                victim = state.unfinished.removeValue(forKey: oldest)?.evict
            }
            if state.total >= state.maximumTotal, victim == nil { return .failure(.tooManyInTotal) }
            state.total += 1
            entry.count += 1
            entry.unfinished += 1
            state.entries[block] = entry
            let number = state.nextNumber
            state.nextNumber += 1
            state.unfinished[number] = Unfinished(block: block, isIdle: false, evict: evict)
            return .success((number, victim))
        }
        let (number, victim) = try result.get()
        victim?()
        return ConnectionAdmission(limiter: self, block: block, number: number, evict: evict)
    }

    /// Takes the oldest connection of an address that has too many from which nothing whole has come.
    private static func takeOldest(
        of block: AddressBlock, beyond most: Int, in state: inout State
    ) -> (@Sendable () -> Void)? {
        let own = state.unfinished.filter { $0.value.block == block && !$0.value.isIdle }.keys
        guard own.count >= most, let oldest = own.min() else { return nil }
        return state.unfinished.removeValue(forKey: oldest)?.evict
    }

    /// New connections a second that one address may make; nil for no limit.
    public var newPerSecond: Int? { self.state.withLock { $0.newPerSecond } }

    /// How many are counted in now.
    public var count: Int { self.state.withLock { $0.total } }

    /// How many of them have not finished TLS, without those that were told to end.
    public var unfinishedCount: Int { self.state.withLock { $0.unfinished.count } }

    /// How many addresses are kept in mind.
    public var addressCount: Int { self.state.withLock { $0.entries.count } }

    func secured(_ block: AddressBlock, number: UInt64) {
        self.state.withLock { state in
            state.unfinished[number] = nil
            state.entries[block]?.unfinished -= 1
        }
    }

    /// A connection that is counted in may be evicted again.
    /// - Returns: its number from now on.
    func pending(_ block: AddressBlock, evict: @escaping @Sendable () -> Void) -> UInt64 {
        self.state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.unfinished[number] = Unfinished(block: block, isIdle: true, evict: evict)
            state.entries[block]?.unfinished += 1
            return number
        }
    }

    func release(_ block: AddressBlock) {
        self.state.withLock { state in
            state.total -= 1
            state.entries[block]?.count -= 1
            if state.newPerSecond == nil, state.entries[block]?.count == 0 { state.entries[block] = nil }
        }
    }

    /// An address's entry; makes room for a new one when the table has grown large.
    private func entry(for block: AddressBlock, in state: inout State, at now: NIODeadline) -> Entry {
        if let entry = state.entries[block] { return entry }
        if state.entries.count >= state.nextPurge {
            state.entries = state.entries.filter { $0.value.count > 0 || !$0.value.arrivals.isFull(at: now) }
            if state.entries.count >= Self.maximumIdle { state.entries = state.entries.filter { $0.value.count > 0 } }
            state.nextPurge = max(1024, state.entries.count * 2)
        }
        let rate = state.newPerSecond ?? 1
        return Entry(arrivals: TokenBucket(perSecond: rate, burst: rate * 2, at: now))
    }
}

/// A connection that ``ConnectionLimiter`` counts: told when something whole has come, when it is idle again, and once
/// when the connection is gone.
public final class ConnectionAdmission: Sendable {
    private enum Stage {
        /// Nothing whole has come since this entry in the limiter's list; it may be evicted.
        case pending(number: UInt64)
        case secured
        case released
    }

    private let limiter: ConnectionLimiter
    private let block: AddressBlock
    private let evict: @Sendable () -> Void
    private let stage: Mutex<Stage>

    init(
        limiter: ConnectionLimiter, block: AddressBlock, number: UInt64, evict: @escaping @Sendable () -> Void
    ) {
        self.limiter = limiter
        self.block = block
        self.evict = evict
        self.stage = Mutex(.pending(number: number))
    }

    /// Something whole has come: TLS stands on a Cast channel, or a request is complete, or the caller is known where callers
    /// have names. It cannot be evicted any more.
    public func secured() {
        let number: UInt64? = self.stage.withLock { stage in
            guard case .pending(let number) = stage else { return nil }
            stage = .secured
            return number
        }
        if let number { self.limiter.secured(self.block, number: number) }
    }

    /// The connection is kept for another request and does nothing meanwhile, so it may be evicted again.
    public func idle() {
        self.stage.withLock { stage in
            guard case .secured = stage else { return }
            stage = .pending(number: self.limiter.pending(self.block, evict: self.evict))
        }
    }

    /// The connection is gone. Later calls do nothing.
    public func release() {
        let before = self.stage.withLock { stage in
            let before = stage
            stage = .released
            return before
        }
        if case .released = before { return }
        if case .pending(let number) = before { self.limiter.secured(self.block, number: number) }
        self.limiter.release(self.block)
    }
}
