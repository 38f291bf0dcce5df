import CastWire
import GatewayCore

/// The senders that are connected to the built-in receiver, and how much each counts (protocol notes, 3.2).
struct SenderTable {
    private typealias Kind = ConnectionPayload.ConnectionType

    private struct Counts {
        var strong = 0
        var weak = 0
    }

    private var kinds: [ConnectionID: [VirtualConnection: Kind]] = [:]
    private var counts: [EndpointID: Counts] = [:]

    /// Adds a sender, or changes how much a connected one counts.
    /// - Returns: true for a new one, false for a known one, nil when the channel holds as many as it may.
    mutating func open(
        _ virtual: VirtualConnection, on connection: ConnectionID, kind: ConnectionPayload.ConnectionType
    ) -> Bool? {
        let old = self.kinds[connection]?[virtual]
        guard old != nil || self.kinds[connection]?.count ?? 0 < VirtualConnections.maximumCount else { return nil }
        if let old { self.count(old, at: virtual.local, by: -1) }
        self.kinds[connection, default: [:]][virtual] = kind
        self.count(kind, at: virtual.local, by: 1)
        return old == nil
    }

    /// Removes a sender.
    /// - Returns: false when it was not connected.
    @discardableResult
    mutating func close(_ virtual: VirtualConnection, on connection: ConnectionID) -> Bool {
        guard let kind = self.kinds[connection]?.removeValue(forKey: virtual) else { return false }
        if self.kinds[connection]?.isEmpty == true { self.kinds[connection] = nil }
        self.count(kind, at: virtual.local, by: -1)
        return true
    }

    mutating func closeAll(on connection: ConnectionID) {
        for (virtual, kind) in self.kinds.removeValue(forKey: connection) ?? [:] {
            self.count(kind, at: virtual.local, by: -1)
        }
    }

    mutating func closeAll(local: EndpointID) {
        for connection in Array(self.kinds.keys) {
            let gone = self.kinds[connection]?.keys.filter { $0.local == local } ?? []
            for virtual in gone { self.close(virtual, on: connection) }
        }
    }

    /// The number of virtual connections there are.
    var count: Int { self.kinds.values.reduce(0) { $0 + $1.count } }

    /// The kind of a sender's connection; nil when it is not connected.
    func kind(of virtual: VirtualConnection, on connection: ConnectionID) -> ConnectionPayload.ConnectionType? {
        self.kinds[connection]?[virtual]
    }

    /// True while a sender that keeps the app alive is connected to the end.
    func hasStrong(at local: EndpointID) -> Bool {
        self.counts[local]?.strong ?? 0 > 0
    }

    /// True while a sender that the app can see is connected to the end.
    func hasVisible(at local: EndpointID) -> Bool {
        guard let counts = self.counts[local] else { return false }
        return counts.strong + counts.weak > 0
    }

    private mutating func count(_ kind: Kind, at local: EndpointID, by step: Int) {
        var counts = self.counts[local] ?? Counts()
        switch kind {
        case .strong: counts.strong += step
        case .weak: counts.weak += step
        case .invisible: return
        }
        self.counts[local] = counts.strong + counts.weak > 0 ? counts : nil
    }
}

/// A sender behind one request. Sender ids mean something within one channel only, so both parts are needed.
struct Requester: Hashable, Sendable {
    let connection: ConnectionID
    let sender: EndpointID
    /// The receiver's end, from which the answer comes.
    let local: EndpointID

    /// A name for the sender that is unique among all channels; the player knows senders by it.
    var playerName: EndpointID { EndpointID(rawValue: "\(self.connection.rawValue) \(self.sender.rawValue)") }

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
