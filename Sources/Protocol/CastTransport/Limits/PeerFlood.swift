package import NIOCore

/// The kind of message of which a peer sent more than any honest one does.
///
/// Messages that the gateway itself answers cost a peer nothing, so a ``FloodGuard`` counts each kind on each connection with a
/// token bucket. The rates are far above what senders do, and exceeding one closes the connection as a fault of the peer.
package enum PeerFlood: String, Hashable, Sendable {
    /// PING and PONG.
    case heartbeat = "heartbeat_flood"
    /// CONNECT and CLOSE.
    case connect = "connect_flood"
    /// Device authentication challenges.
    case challenge = "challenge_flood"
}

extension PeerFlood: CustomStringConvertible {
    package var description: String {
        switch self {
        case .heartbeat: "heartbeat flood"
        case .connect: "connect flood"
        case .challenge: "challenge flood"
        }
    }
}

/// Watches one kind of message on one connection, of which no honest peer sends many.
package struct FloodGuard: Sendable {
    private let flood: PeerFlood
    private let perSecond: Int
    private let burst: Int
    private var bucket: TokenBucket?

    /// Starts to watch.
    /// - Parameters:
    ///   - perSecond: messages that may come steadily.
    ///   - burst: messages that may come at once.
    package init(_ flood: PeerFlood, perSecond: Int, burst: Int) {
        self.flood = flood
        self.perSecond = perSecond
        self.burst = burst
    }

    /// Counts a message.
    /// - Returns: why the connection has to be closed, when it was one too many.
    package mutating func count(at now: NIODeadline) -> TransportError? {
        var bucket = self.bucket ?? TokenBucket(perSecond: self.perSecond, burst: self.burst, at: now)
        let isFine = bucket.take(at: now)
        self.bucket = bucket
        return isFine ? nil : .flood(self.flood)
    }
}
