import CastWire
import GatewayCore

/// A sender behind one request. Sender ids mean something within one channel only, so both parts are needed.
struct Requester: Hashable, Sendable {
    /// The channel that the request came on.
    let connection: ConnectionID
    /// The sender's end of the virtual connection.
    let sender: EndpointID
    /// The receiver's end, from which the answer comes.
    let local: EndpointID

    /// A name for the sender that is unique among all channels; the player knows senders by it.
    var playerName: EndpointID { EndpointID(rawValue: "\(self.connection.rawValue) \(self.sender.rawValue)") }

    /// Names a sender.
    init(connection: ConnectionID, sender: EndpointID, local: EndpointID) {
        self.connection = connection
        self.sender = sender
        self.local = local
    }

    /// Reads ``playerName`` back; nil for a text that is none.
    init?(playerName: EndpointID, local: EndpointID) {
        let parts = playerName.rawValue.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[0]) else { return nil }
        self.init(
            connection: ConnectionID(rawValue: number), sender: EndpointID(rawValue: String(parts[1])), local: local)
    }
}
