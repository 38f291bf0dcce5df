import CastTransport
import CastWire
package import GatewayOperations
package import NIOCore
import Synchronization

/// How often each caller may ask: so many requests a second, and twice as many at once.
///
/// Callers with a token are told apart by it, those without one by their address. Knows no clock: instants are passed in.
package final class CallerRates: Sendable {
    /// The code of the problem that a caller gets who asks too often.
    static let code = "rate_limited"
    private static let maximumCallers = 8192

    private enum Key: Hashable {
        case token(String)
        case address(AddressBlock)
        case strangers(AddressBlock)
    }

    /// Nil for no limit.
    private let buckets: Mutex<TokenBuckets<Key>?>

    /// Makes a limit.
    /// - Parameter perSecond: requests a second; nil for no limit.
    package init(perSecond: Int?) {
        self.buckets = Mutex(Self.buckets(perSecond))
    }

    /// Sets another limit; callers begin anew.
    package func limit(perSecond: Int?) {
        self.buckets.withLock { buckets in
            if buckets?.perSecond != perSecond { buckets = Self.buckets(perSecond) }
        }
    }

    /// Counts a request in.
    /// - Throws: `rate_limited` (429), with the seconds to wait in `retry_after`.
    package func admit(_ caller: Caller, from address: String?, at now: NIODeadline) throws(OperationProblem) {
        let key = caller.token.map { Key.token($0) } ?? .address(AddressBlock(address ?? "local"))
        guard let wait = self.take(key, at: now) else { return }
        throw .tooOften(Self.code, "the caller asks too often", wait: wait)
    }

    /// Counts a request in whose caller is not known. Those with a token of the same address are counted apart.
    /// - Throws: `too_many_attempts` (429), with the seconds to wait in `retry_after`.
    package func admitStranger(from address: String?, at now: NIODeadline) throws(OperationProblem) {
        guard let wait = self.take(.strangers(AddressBlock(address ?? "local")), at: now) else { return }
        throw .tooOften(
            ControlAnswer.lastCode, "requests of callers that are not known come too often from this address",
            wait: wait)
    }

    /// - Returns: how long to wait; nil when the request is in time.
    private func take(_ key: Key, at now: NIODeadline) -> TimeAmount? {
        self.buckets.withLock { $0?.take(key, at: now) }
    }

    private static func buckets(_ perSecond: Int?) -> TokenBuckets<Key>? {
        perSecond.map { TokenBuckets(perSecond: $0, burst: $0 * 2, limit: Self.maximumCallers) }
    }
}

extension OperationProblem {
    /// Something comes too often (429).
    /// - Parameter wait: when it may be tried again; answered in whole seconds, at least 1.
    package static func tooOften(_ code: String, _ detail: String, wait: TimeAmount) -> OperationProblem {
        let seconds = max(1, Int((Double(wait.nanoseconds) / 1e9).rounded(.up)))
        return OperationProblem(code, status: 429, detail, members: ["retry_after": .number(seconds)])
    }
}
