import GatewayConfig
import GatewayCore
import NIOCore
import Synchronization

/// The use that the senders of one rule have made of its rate: a token bucket for each sender and virtual device.
///
/// A bucket is kept as the instant at which it will be full again. One that is full is the same as none, so it may be forgotten;
/// when there are as many as may be and all are in use, further senders are refused. May be used on any thread.
final class RateBuckets: Sendable {
    /// The owner of a bucket.
    struct Key: Hashable, Sendable {
        private enum Sender: Hashable {
            case plugin(String)
            /// An IPv4 address, or the /64 of an IPv6 address, of which a sender may have any number.
            case address(width: Int, UInt128)
            /// An address that is none.
            case text(String)
            case connection(ConnectionID?)
        }

        private let device: String
        /// A sender or plugin that comes back has another connection, and is the same one.
        private let sender: Sender

        /// The bucket of a caller that sends from outside of Cast.
        init(device: String, caller: String) {
            self.device = device
            self.sender = .plugin(caller)
        }

        init(_ message: RoutedMessage) {
            self.device = message.device.name
            if let origin = message.origin {
                self.sender = .plugin(origin.name)
            } else if let text = message.senderAddress {
                let address = IPAddress(text).map { SenderAddress($0) }
                self.sender = address.map { .address(width: $0.width, $0.block) } ?? .text(text)
            } else {
                self.sender = .connection(message.connection)
            }
        }
    }

    private struct State {
        var fullAt: [Key: NIODeadline] = [:]
        /// Looking for full buckets takes as long as there are buckets, so it is not done for every message.
        var nextSweep = NIODeadline.uptimeNanoseconds(0)
    }

    private static let timeBetweenSweeps = TimeAmount.seconds(1)

    private let period: TimeAmount
    private let costOfOne: TimeAmount
    private let limit: Int
    private let state = Mutex(State())

    /// Makes full buckets.
    /// - Parameter limit: how many buckets may be in use at once.
    init(_ rate: MessageRate, limit: Int = 4096) {
        self.period = rate.period
        self.costOfOne = .nanoseconds(rate.period.nanoseconds / Int64(rate.count))
        self.limit = limit
    }

    /// Takes a token.
    /// - Returns: false when there is none.
    func take(_ key: Key, at now: NIODeadline) -> Bool {
        self.state.withLock { state in
            let known = state.fullAt[key]
            if known == nil, !self.makeRoom(in: &state, at: now) { return false }
            let fullAt = max(known ?? now, now) + self.costOfOne
            guard fullAt - now <= self.period else { return false }
            state.fullAt[key] = fullAt
            return true
        }
    }

    /// The number of buckets that are in use.
    var count: Int { self.state.withLock { $0.fullAt.count } }

    private func makeRoom(in state: inout State, at now: NIODeadline) -> Bool {
        if state.fullAt.count < self.limit { return true }
        guard now >= state.nextSweep else { return false }
        state.nextSweep = now + Self.timeBetweenSweeps
        state.fullAt = state.fullAt.filter { $0.value > now }
        return state.fullAt.count < self.limit
    }
}
