import CastWire
import GatewayCore

/// Gives every sender's end its own id on the device's channel, and finds it again.
///
/// Ids are unique per channel only, so two senders that are both `sender-0` must not meet on the way to the device;
/// with an id each, their request ids need no rewriting.
struct SenderIDs {
    /// One end of one sender.
    struct North: Hashable {
        let relay: ObjectIdentifier
        let connection: ConnectionID
        let end: EndpointID
    }

    private var souths: [North: EndpointID] = [:]
    private var norths: [EndpointID: North] = [:]
    private var next = 1

    /// The end's id towards the device, made at first use.
    mutating func south(of north: North) -> EndpointID {
        if let known = self.souths[north] { return known }
        let made = EndpointID(rawValue: "sender-cw\(self.next)")
        self.next += 1
        self.souths[north] = made
        self.norths[made] = north
        return made
    }

    /// How many ends have an id.
    var count: Int { self.souths.count }

    /// Whose id this is.
    func north(of south: EndpointID) -> North? {
        self.norths[south]
    }

    /// Forgets an end.
    mutating func remove(_ north: North) {
        if let south = self.souths.removeValue(forKey: north) { self.norths[south] = nil }
    }

    /// Forgets every end of a channel.
    mutating func removeAll(relay: ObjectIdentifier, connection: ConnectionID) {
        for north in self.souths.keys where north.relay == relay && north.connection == connection {
            self.remove(north)
        }
    }
}
