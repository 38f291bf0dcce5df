import CastWire
import GatewayCore

/// One end of one sender: its id is unique on its own channel only.
struct SenderEnd: Hashable {
    /// The ``DeviceRelay`` that it came through.
    let relay: ObjectIdentifier
    let connection: ConnectionID
    let end: EndpointID
}

/// Gives every sender's end its own id on the device's channel, and finds it again.
///
/// Ids are unique per channel only, so two senders that are both `sender-0` must not meet on the way to the device;
/// with an id each, their request ids need no rewriting.
struct SenderIDs {
    private var ids: [SenderEnd: EndpointID] = [:]
    private var senders: [EndpointID: SenderEnd] = [:]
    private var next = 1

    /// The number of ends that have an id.
    var count: Int { self.ids.count }

    /// The end's id towards the device, made at first use.
    mutating func id(of sender: SenderEnd) -> EndpointID {
        if let known = self.ids[sender] { return known }
        let made = EndpointID(rawValue: "sender-cw\(self.next)")
        self.next += 1
        self.ids[sender] = made
        self.senders[made] = sender
        return made
    }

    /// The end that has an id; nil when there is none.
    func sender(of id: EndpointID) -> SenderEnd? {
        self.senders[id]
    }

    mutating func remove(_ sender: SenderEnd) {
        if let id = self.ids.removeValue(forKey: sender) { self.senders[id] = nil }
    }

    /// Forgets every end of a channel.
    mutating func removeAll(relay: ObjectIdentifier, connection: ConnectionID) {
        for sender in self.ids.keys where sender.relay == relay && sender.connection == connection {
            self.remove(sender)
        }
    }
}

/// The route of a sender's messages that have the very same ``MessageNames``: found out for the first of a run, and then
/// followed by the others, so that no dictionary is asked for them.
final class RouteToDevice {
    /// The names of the messages on the sender's channel.
    let names: MessageNames
    let sender: SenderEnd
    /// The names on the device's channel; nil until the first message goes.
    var renamed: MessageNames?
    let isMirroring: Bool

    init(names: MessageNames, sender: SenderEnd) {
        self.names = names
        self.sender = sender
        self.isMirroring = names.namespace == .webRTC
    }
}

/// The same for the device's messages to one sender's end.
final class RouteToSender {
    /// The names of the messages on the device's channel.
    let names: MessageNames
    /// The names on the sender's channel.
    let renamed: MessageNames
    let sender: SenderEnd
    let relay: DeviceRelay
    let isMirroring: Bool

    init(names: MessageNames, sender: SenderEnd, relay: DeviceRelay) {
        self.names = names
        self.sender = sender
        self.relay = relay
        self.isMirroring = names.namespace == .webRTC
        self.renamed = MessageNames(source: names.source, destination: sender.end, namespace: names.namespace)
    }
}
