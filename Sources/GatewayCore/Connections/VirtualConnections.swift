public import CastWire

/// The virtual connections that are open on one channel.
///
/// A flat table of pairs: senders use many ids on one channel, and ids mean nothing outside it (protocol notes, 3.1).
public struct VirtualConnections: Sendable {
    /// How many one channel may hold; a sender needs a handful.
    public static let maximumCount = 256

    /// What is kept of an open connection.
    public struct Entry: Hashable, Sendable {
        /// The CONNECT message that opened it, for opening it again towards a device that came back.
        public let connect: CastMessage
    }

    private var entries: [VirtualConnection: Entry] = [:]

    /// Starts without any.
    public init() {}

    /// Opens a connection; one that is open stays open with the newer CONNECT.
    /// - Returns: false when the channel holds as many as it may.
    public mutating func open(_ connection: VirtualConnection, connect: CastMessage) -> Bool {
        guard self.entries.count < Self.maximumCount || self.entries[connection] != nil else { return false }
        self.entries[connection] = Entry(connect: connect)
        return true
    }

    /// Closes a connection.
    /// - Returns: false when it was not open.
    @discardableResult
    public mutating func close(_ connection: VirtualConnection) -> Bool {
        self.entries.removeValue(forKey: connection) != nil
    }

    /// Closes all connections of one end at the receiver.
    /// - Returns: the senders' ends, sorted.
    public mutating func closeAll(local: EndpointID) -> [EndpointID] {
        let peers = self.peers(of: local)
        for peer in peers { self.entries[VirtualConnection(local: local, peer: peer)] = nil }
        return peers
    }

    /// True while the pair is connected.
    public func contains(_ connection: VirtualConnection) -> Bool {
        self.entries[connection] != nil
    }

    /// True while any sender of this channel is connected to the end.
    public func hasPeers(of local: EndpointID) -> Bool {
        self.entries.keys.contains { $0.local == local }
    }

    /// True while this end of a sender is connected to anything.
    public func hasLocals(of peer: EndpointID) -> Bool {
        self.entries.keys.contains { $0.peer == peer }
    }

    /// The senders' ends connected to an end at the receiver, sorted.
    public func peers(of local: EndpointID) -> [EndpointID] {
        self.entries.keys.filter { $0.local == local }.map(\.peer).sorted { $0.rawValue < $1.rawValue }
    }

    /// Every open pair with what opened it, in no order.
    public var all: [(connection: VirtualConnection, entry: Entry)] {
        self.entries.map { (connection: $0.key, entry: $0.value) }
    }

    /// How many are open.
    public var count: Int { self.entries.count }
}
