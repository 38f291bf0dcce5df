import CastTransport
import CastWire
import GatewayCore

/// The relays of one device, the ids that their senders' ends have on the device's channel, and the requests of theirs that
/// the device has not answered.
///
/// Lives on the device's event loop.
final class SenderTable {
    var pending = PendingRequests()
    private let channel: DeviceChannel
    private(set) var relays: [DeviceRelay] = [] {
        didSet { self.recent = nil }
    }
    private var ids = SenderIDs() {
        didSet { self.recent = nil }
    }
    /// The route of the device's last message to a sender.
    private var recent: RouteToSender?

    init(channel: DeviceChannel) {
        self.channel = channel
    }

    /// The number of ends that have an id.
    var endCount: Int { self.ids.count }

    func add(_ relay: DeviceRelay) {
        if !self.relays.contains(where: { $0 === relay }) { self.relays.append(relay) }
    }

    func remove(_ relay: DeviceRelay) {
        self.relays.removeAll { $0 === relay }
    }

    /// The relay that a sender's end came through; nil when it is gone.
    func relay(of sender: SenderEnd) -> DeviceRelay? {
        self.relays.first { ObjectIdentifier($0) == sender.relay }
    }

    /// The end that has an id on the device's channel, and its relay; nil when there is none.
    func sender(of id: EndpointID) -> (end: SenderEnd, relay: DeviceRelay)? {
        guard let sender = self.ids.sender(of: id), let relay = self.relay(of: sender) else { return nil }
        return (sender, relay)
    }

    func forget(_ sender: SenderEnd) {
        self.ids.remove(sender)
        self.pending.forget(sender)
    }

    func forget(_ connection: ConnectionID, of relay: ObjectIdentifier) {
        self.ids.removeAll(relay: relay, connection: connection)
        self.pending.forget(connection, of: relay)
    }

    // MARK: Routes

    /// The names of a sender's messages on the device's channel.
    func names(on route: RouteToDevice) -> MessageNames {
        let names = MessageNames(
            source: self.ids.id(of: route.sender), destination: route.names.destination,
            namespace: route.names.namespace)
        route.renamed = names
        return names
    }

    /// The route of the device's messages to a sender's end; nil when there is none of this name.
    func route(to names: MessageNames) -> RouteToSender? {
        if let recent, recent.names === names { return recent }
        guard let (sender, relay) = self.sender(of: names.destination) else { return nil }
        let route = RouteToSender(names: names, sender: sender, relay: relay)
        self.recent = route
        return route
    }

    // MARK: Messages

    func sendConnect(_ message: CastMessage, for sender: SenderEnd) {
        self.send(message.withoutVersionOffer, for: sender)
    }

    /// Sends something in the name of a sender; lost while there is no open channel.
    func send(_ message: CastMessage, for sender: SenderEnd) {
        guard self.channel.open != nil else { return }
        var message = message
        message.source = self.ids.id(of: sender)
        self.channel.send(message)
    }

    /// Delivers a message to every sender that has a virtual connection to its source.
    func broadcast(_ message: CastMessage) {
        for relay in self.relays { relay.output?.broadcast(message) }
    }

    /// Flushes the channels of senders that were sent something.
    func flush() {
        for relay in self.relays { relay.output?.flush() }
    }
}
