public import CastWire

/// The virtual connections that are open on one channel.
///
/// A Cast channel carries many conversations: a CONNECT opens one between an end at the sender and an end at the receiver,
/// which is the platform or an app's transport id, a CLOSE or the end of the channel closes it, and every other message must
/// belong to one that is open (protocol notes, 3). A sender may use any number of ids on one channel, and several of its ids
/// may be connected to the same app.
///
/// So the table is one flat dictionary whose key is the whole pair. Tables of tables, one for each end, invite two mistakes:
/// a second sender of the same app that is taken for the first, and a pair that is found in the wrong order. Questions about
/// one end (``hasPeers(of:)``, ``peers(of:)``) look through all pairs, at most ``maximumCount``; only broadcasts and the end
/// of an app ask them. The path of a message asks ``contains(_:)``, one look-up, and its callers remember the last pair, since
/// messages come in runs.
///
/// The CONNECT that opened a pair is kept, so that it can be sent again to a device that was lost and came back, or to
/// another target.
public struct VirtualConnections: Sendable {
    /// How many one channel may hold; a sender needs a handful.
    public static let maximumCount = 256

    /// What is kept of an open connection.
    public struct Entry: Hashable, Sendable {
        /// The CONNECT message that opened it, for opening it again towards a device that came back.
        public let connect: CastMessage
    }

    private var entries: [VirtualConnection: Entry] = [:]
    /// How long the messages are together that are kept, with the ids in them.
    public private(set) var connectBytes = 0

    /// Starts without any.
    public init() {}

    /// Opens a connection; one that is open stays open with the newer CONNECT.
    /// - Returns: false when the channel holds as many as it may.
    public mutating func open(_ connection: VirtualConnection, connect: CastMessage) -> Bool {
        guard self.entries.count < Self.maximumCount || self.entries[connection] != nil else { return false }
        let before = self.entries.updateValue(Entry(connect: connect), forKey: connection)
        self.connectBytes += connect.serializedLength - (before?.connect.serializedLength ?? 0)
        return true
    }

    /// Closes a connection.
    /// - Returns: false when it was not open.
    @discardableResult
    public mutating func close(_ connection: VirtualConnection) -> Bool {
        guard let entry = self.entries.removeValue(forKey: connection) else { return false }
        self.connectBytes -= entry.connect.serializedLength
        return true
    }

    /// Closes all connections of one end at the receiver.
    /// - Returns: the senders' ends, sorted.
    public mutating func closeAll(local: EndpointID) -> [EndpointID] {
        let peers = self.peers(of: local)
        for peer in peers { self.close(VirtualConnection(local: local, peer: peer)) }
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

    /// The CONNECT by which an end of a sender introduced itself to an end at the receiver; when it is not connected to that,
    /// as with a message to all, the one to the platform, or to any app. Nil when it is connected to nothing.
    public func connect(of peer: EndpointID, to local: EndpointID) -> CastMessage? {
        for end in [local, .platformReceiver] {
            if let entry = self.entries[VirtualConnection(local: end, peer: peer)] { return entry.connect }
        }
        let locals = self.entries.keys.filter { $0.peer == peer }
        return locals.min { $0.local.rawValue < $1.local.rawValue }.flatMap { self.entries[$0]?.connect }
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

/// A pair of ends that may exchange messages within one channel (protocol notes, 3).
public struct VirtualConnection: Hashable, Sendable {
    /// The end at the receiver: `receiver-0` or a transport id.
    public let local: EndpointID
    /// The end at the sender.
    public let peer: EndpointID

    /// Names a pair.
    public init(local: EndpointID, peer: EndpointID) {
        self.local = local
        self.peer = peer
    }
}

/// One sender's channel to a virtual device, unique while the gateway runs.
public struct ConnectionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// A number counted up from 1.
    public let rawValue: UInt64

    /// Makes an id from its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The id for logs, such as `c7`.
    public var description: String { "c\(self.rawValue)" }

    static let blank = ConnectionID(rawValue: 0)

    /// The number as events have it.
    var number: Int { Int(truncatingIfNeeded: self.rawValue) }
}
