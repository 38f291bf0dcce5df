public import CastWire

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
