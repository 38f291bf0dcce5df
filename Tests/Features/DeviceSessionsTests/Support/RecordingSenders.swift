import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore

/// The senders' side of a relay, written down.
final class RecordingSenders: SenderOutput {
    enum Event: Sendable, Equatable {
        case sent(CastMessage, ConnectionID)
        case broadcast(CastMessage)
        case closedAll(EndpointID)
        case closedOne(VirtualConnection, ConnectionID, CastMessage)
        case letGo(ConnectionID)
    }

    let events = Inbox<Event>()
    /// Where every sender's channel ends, if it has one.
    var endpoints: (local: SocketAddress, remote: SocketAddress)?
    /// How many messages went to one sender.
    private(set) var sentCount = 0
    /// How often the target was said to be there, or not.
    private(set) var targetChanges = 0

    func send(_ message: CastMessage, to connection: ConnectionID) {
        self.sentCount += 1
        self.events.put(.sent(message, connection))
    }

    func broadcast(_ message: CastMessage) {
        self.events.put(.broadcast(message))
    }

    func closeVirtualConnections(of transport: EndpointID) {
        self.events.put(.closedAll(transport))
    }

    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage) {
        self.events.put(.closedOne(connection, channel, message))
    }

    func close(_ connection: ConnectionID, reason: String) {
        self.events.put(.letGo(connection))
    }

    func emit(_ event: GatewayEvent) {}

    func targetChanged() { self.targetChanges += 1 }

    func endpoints(of connection: ConnectionID) -> (local: SocketAddress, remote: SocketAddress)? { self.endpoints }

    func flush() {}
}
