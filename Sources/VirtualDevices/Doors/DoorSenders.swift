import CastWire
import GatewayCore

/// The senders without a socket of one virtual device.
struct DoorSenders {
    /// Every plugin and bridge is one, every client of the API another.
    static let limit = 256

    private var byID: [ConnectionID: DoorSender] = [:]
    private var byEnd: [EndpointID: DoorSender] = [:]

    var isEmpty: Bool { self.byID.isEmpty }
    var isFull: Bool { self.byID.count >= Self.limit }

    /// All of them, the oldest first.
    var all: [DoorSender] { self.byID.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    subscript(id: ConnectionID) -> DoorSender? { self.byID[id] }
    subscript(end: EndpointID) -> DoorSender? { self.byEnd[end] }

    mutating func insert(_ sender: DoorSender) {
        self.byID[sender.id] = sender
        self.byEnd[sender.end] = sender
    }

    mutating func remove(_ sender: DoorSender) {
        self.byID[sender.id] = nil
        self.byEnd[sender.end] = nil
    }

    /// Takes all of them out.
    mutating func removeAll() -> [DoorSender] {
        defer { self = DoorSenders() }
        return self.all
    }

    /// Hands a message to those who are connected to its source.
    func hear(_ message: CastMessage, device: String, session: SessionFacts?) {
        for sender in self.byID.values where sender.virtualConnections.hasPeers(of: message.source) {
            sender.receive(message, device: device, session: session)
        }
    }
}
