import GatewayCore
import MediaRelay

/// The streams that there are, and the datagrams that begin one: what the gate of mirrored streams judges by.
///
/// A stream is the sender's address and port with the address and port that it sends to. It may be there as long as its sender has a
/// splice at that address. Knows no sockets and no clock.
struct PassedStreamTable {
    /// The limits of streams: a sender uses one, and some more for a while when it begins anew.
    struct Limits: Hashable {
        /// For one address at one device.
        var perSender = 8
        var perDevice = PassedStreams.maximumPerDevice
        var total = 256
    }

    /// The ports that devices take streams at; below are those of services.
    static let ports: ClosedRange<UInt16> = 1024...65_535

    /// The identity of a stream.
    struct Key: Hashable {
        /// The sender's address and port.
        let sender: MediaEndpoint
        /// The destination: the address of its splice, and the device's port.
        let destination: MediaEndpoint

        /// The sender and the screen that may have it.
        var pair: Pair { Pair(sender: self.sender.at(port: 0), screen: self.destination.at(port: 0)) }
    }

    /// A sender's address at the address of a device; ports are 0.
    struct Pair: Hashable {
        let sender: MediaEndpoint
        let screen: MediaEndpoint
    }

    /// The origin of a stream that is to begin.
    struct Opening: Hashable {
        /// The virtual device.
        let device: String
        /// The sender's oldest splice.
        let connection: ConnectionID
        /// The end point of the real device for the stream.
        let target: MediaEndpoint
    }

    /// The decision on a datagram that belongs to no stream that there is.
    enum Verdict: Hashable {
        /// It begins a stream, which counts from now on.
        case opens(Opening)
        /// It is dropped. `isNew` is true the first time that a sender is refused for its many streams.
        case drops(MediaCounts.Drop, device: String?, isNew: Bool)
    }

    private struct Guest {
        let device: String
        /// The splices, the oldest first, each with the address of the device.
        var splices: [(connection: ConnectionID, place: MediaEndpoint)] = []
        var streams: Set<Key> = []
        var wasRefused = false
    }

    private let limits: Limits
    private var guests: [Pair: Guest] = [:]
    private var pairs: [ConnectionID: Pair] = [:]
    private var devices: [String: Int] = [:]
    private(set) var count = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// A splice stands.
    /// - Parameter place: the real device's address; the port does not count.
    mutating func admit(_ connection: ConnectionID, _ pair: Pair, to device: String, at place: MediaEndpoint) {
        guard self.pairs[connection] == nil else { return }
        self.pairs[connection] = pair
        self.guests[pair, default: Guest(device: device)].splices.append((connection, place))
    }

    /// A splice is gone.
    /// - Returns: the streams that end with it, since it was the sender's last one.
    mutating func dismiss(_ connection: ConnectionID) -> [Key] {
        guard let pair = self.pairs.removeValue(forKey: connection), var guest = self.guests[pair] else { return [] }
        guest.splices.removeAll { $0.connection == connection }
        self.guests[pair] = guest
        guard guest.splices.isEmpty else { return [] }
        for key in guest.streams { self.ended(key) }
        self.guests[pair] = nil
        return Array(guest.streams)
    }

    /// Judges a datagram of a stream that is not there; one that begins a stream makes it count.
    mutating func judge(_ key: Key) -> Verdict {
        let pair = key.pair
        guard var guest = self.guests[pair], let oldest = guest.splices.first, let newest = guest.splices.last else {
            return .drops(.foreignAddress, device: nil, isNew: false)
        }
        guard Self.ports.contains(key.destination.port), key.sender.port != 0 else {
            return .drops(.foreignPort, device: guest.device, isNew: false)
        }
        guard guest.streams.count < self.limits.perSender, self.count < self.limits.total,
            self.devices[guest.device, default: 0] < self.limits.perDevice
        else {
            defer {
                guest.wasRefused = true
                self.guests[pair] = guest
            }
            return .drops(.tooMany, device: guest.device, isNew: !guest.wasRefused)
        }
        if guest.streams.insert(key).inserted {
            self.count += 1
            self.devices[guest.device, default: 0] += 1
        }
        self.guests[pair] = guest
        return .opens(
            Opening(
                device: guest.device, connection: oldest.connection,
                target: newest.place.at(port: key.destination.port)))
    }

    /// True if a stream may be there, as judged before.
    func has(_ key: Key) -> Bool { self.guests[key.pair]?.streams.contains(key) == true }

    /// A sender is refused for another reason than its many streams.
    /// - Returns: whether that is the first time.
    mutating func noteRefusal(of key: Key) -> Bool {
        guard let guest = self.guests[key.pair], !guest.wasRefused else { return false }
        self.guests[key.pair]?.wasRefused = true
        return true
    }

    /// A stream is gone. Does nothing the second time.
    mutating func ended(_ key: Key) {
        guard let device = self.guests[key.pair]?.device,
            self.guests[key.pair]?.streams.remove(key) != nil
        else { return }
        self.count -= 1
        let left = self.devices[device, default: 1] - 1
        self.devices[device] = left > 0 ? left : nil
    }
}
