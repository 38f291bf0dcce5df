/// Of what a peer sent more than any honest one does.
public enum PeerFlood: String, Hashable, Sendable {
    /// PING and PONG.
    case heartbeat = "heartbeat_flood"
    /// CONNECT and CLOSE.
    case connect = "connect_flood"
    /// Device authentication challenges.
    case challenge = "challenge_flood"
}

extension PeerFlood: CustomStringConvertible {
    /// Two words for a log.
    public var description: String {
        switch self {
        case .heartbeat: "heartbeat flood"
        case .connect: "connect flood"
        case .challenge: "challenge flood"
        }
    }
}
