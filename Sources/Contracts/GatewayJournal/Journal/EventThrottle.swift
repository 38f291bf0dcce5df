import GatewayCore
import NIOCore

/// Keeps peers from shortening the history of all: of events that a peer can cause at will, each source has so many a minute, and the
/// next one counts those that were left out. A connection that was left out ends without a word, too.
///
/// Knows no clock: instants are passed in. Holds a bounded number of sources.
struct EventThrottle {
    /// Who causes an event: all that is told of it and is the peer's doing.
    private struct Source: Hashable {
        let type: String
        let device: String
        let peer: EventDeclaration.Peer
    }

    /// How many events of a source are told in a minute.
    static let eventsPerMinute = 60
    /// More connections than a gateway holds.
    private static let maximumConnections = 1 << 17

    private var sources = LogThrottle<Source>(linesPerWindow: Self.eventsPerMinute)
    /// Connections whose beginning was left out.
    private var untold: Set<ConnectionID> = []
    /// How many events were left out.
    private(set) var leftOut = 0

    /// Asks for an event to be told.
    /// - Returns: how many events it stands for, those that were left out before and itself; nil when it is left out.
    mutating func admit(_ event: GatewayEvent, _ declaration: EventDeclaration, at now: NIODeadline) -> Int? {
        if case .senderDisconnected(_, let connection, _, _) = event, self.untold.remove(connection) != nil {
            self.leftOut += 1
            return nil
        }
        if case .senderIntroduced(_, let connection, _, _) = event, self.untold.contains(connection) {
            self.leftOut += 1
            return nil
        }
        // What has a latest value is told whatever comes.
        guard let peer = declaration.peer else { return 1 }
        let source = Source(type: declaration.name, device: declaration.device ?? "", peer: peer)
        if let before = self.sources.admit(source, at: now) { return before + 1 }
        self.leftOut += 1
        if case .senderConnected(_, let connection, _) = event, self.untold.count < Self.maximumConnections {
            self.untold.insert(connection)
        }
        return nil
    }
}
