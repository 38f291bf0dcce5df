import CastTransport
import CastWire
public import GatewayOperations
public import NIOCore
import Synchronization

/// How often each caller may ask: so many requests a second, and twice as many at once.
///
/// Callers with a token are told apart by it, those without one by their address. Knows no clock: instants are passed in. Keeps
/// a bounded number of callers in mind.
public final class CallerRates: Sendable {
    /// The code of the problem that a caller gets who asks too often.
    static let code = "rate_limited"
    private static let maximumCallers = 8192

    private enum Key: Hashable {
        case token(String)
        case address(AddressBlock)
        case strangers(AddressBlock)
    }

    private struct State {
        var perSecond: Int?
        var buckets: [Key: TokenBucket] = [:]
    }

    private let state: Mutex<State>

    /// Makes a limit.
    /// - Parameter perSecond: requests a second; nil for no limit.
    public init(perSecond: Int?) {
        self.state = Mutex(State(perSecond: perSecond))
    }

    /// Sets another limit; callers begin anew.
    public func limit(perSecond: Int?) {
        self.state.withLock { state in
            guard state.perSecond != perSecond else { return }
            state = State(perSecond: perSecond)
        }
    }

    /// Counts a request in.
    /// - Throws: `rate_limited` (429), with the seconds to wait in `retry_after`.
    public func admit(_ caller: Caller, from address: String?, at now: NIODeadline) throws(OperationProblem) {
        let key = caller.token.map { Key.token($0) } ?? .address(AddressBlock(address ?? "local"))
        guard let wait = self.take(key, at: now) else { return }
        throw .tooOften(Self.code, "the caller asks too often", wait: wait)
    }

    /// Counts a request in whose caller is not known. Those with a token of the same address are counted apart.
    /// - Throws: `too_many_attempts` (429), with the seconds to wait in `retry_after`.
    public func admitStranger(from address: String?, at now: NIODeadline) throws(OperationProblem) {
        guard let wait = self.take(.strangers(AddressBlock(address ?? "local")), at: now) else { return }
        throw .tooOften(
            ControlAnswer.lastCode, "requests of callers that are not known come too often from this address",
            wait: wait)
    }

    /// - Returns: how long to wait; nil when the request is in time.
    private func take(_ key: Key, at now: NIODeadline) -> TimeAmount? {
        self.state.withLock { state in
            guard let perSecond = state.perSecond else { return nil }
            if state.buckets[key] == nil { Self.makeRoom(&state, at: now) }
            var bucket = state.buckets[key] ?? TokenBucket(perSecond: perSecond, burst: perSecond * 2, at: now)
            let isTaken = bucket.take(at: now)
            state.buckets[key] = bucket
            return isTaken ? nil : bucket.time(until: 1, at: now)
        }
    }

    private static func makeRoom(_ state: inout State, at now: NIODeadline) {
        guard state.buckets.count >= Self.maximumCallers else { return }
        state.buckets = state.buckets.filter { !$0.value.isFull(at: now) }
        if state.buckets.count >= Self.maximumCallers { state.buckets.removeAll() }
    }
}

extension OperationProblem {
    /// Something comes too often (429).
    /// - Parameter wait: when it may be tried again; answered in whole seconds, at least 1.
    public static func tooOften(_ code: String, _ detail: String, wait: TimeAmount) -> OperationProblem {
        let seconds = max(1, Int((Double(wait.nanoseconds) / 1e9).rounded(.up)))
        return OperationProblem(code, status: 429, detail, members: ["retry_after": .number(seconds)])
    }
}
