import CastTransport
import CastWire
import GatewayCore
import NIOCore

/// Tells the channels of apps that senders of one virtual device have: notes connections to apps in the ``AppChannelRegistry`` as they open
/// and close, and what the apps list.
///
/// Nothing of it is on the way of a message of an app's own. Lives on the device's event loop.
final class SenderChannels {
    /// Knows the apps; nil once the device has stopped.
    var delivery: MessageDelivery?
    private let device: String
    private let book: AppChannelRegistry
    private let rights: any SenderRights
    private let eventLoop: any EventLoop
    /// The namespaces that the apps listed last.
    private var listed: [EndpointID: [Namespace]] = [:]

    /// - Parameters:
    ///   - device: the virtual device's name.
    ///   - rights: learns which apps senders join.
    init(
        device: String, book: AppChannelRegistry, rights: any SenderRights = NoSenderRights(), eventLoop: any EventLoop
    ) {
        self.rights = rights
        self.device = device
        self.book = book
        self.eventLoop = eventLoop
    }

    func opened(_ pair: VirtualConnection, of sender: SenderConnection) {
        guard pair.local != .platformReceiver, let session = self.delivery?.target.session(at: pair.local) else {
            return
        }
        self.rights.joined(session.sessionID, on: self.device, from: sender.address)
        self.book.note(
            Self.owner(pair, sender), device: self.device, app: session.appID, sessionID: session.sessionID,
            namespaces: session.namespaces, isWritable: sender.isWritable, at: self.eventLoop.now)
    }

    func closed(_ pair: VirtualConnection, of sender: SenderConnection, _ reason: String) {
        guard pair.local != .platformReceiver else { return }
        self.book.remove(Self.owner(pair, sender), reason: reason)
    }

    func lost(_ sender: SenderConnection, reason: TransportError?) {
        self.book.removeAll(of: sender.id, reason: reason?.description ?? "closed by the sender")
    }

    /// The platform told another status: apps may list other namespaces.
    func statusChanged(among senders: SenderGroup) {
        guard let sessions = self.delivery?.target.sessions else { return }
        let listed = Dictionary(
            sessions.map { ($0.transportID, $0.namespaces) }, uniquingKeysWith: { first, _ in first })
        guard listed != self.listed else { return }
        let changed = Set(listed.filter { self.listed[$0.key] != $0.value }.keys)
        self.listed = listed
        for sender in senders.all {
            for (pair, _) in sender.virtualConnections.all where changed.contains(pair.local) {
                self.opened(pair, of: sender)
            }
        }
    }

    func writability(of sender: SenderConnection) -> WritabilityNotes {
        WritabilityNotes(eventLoop: self.eventLoop) { [book = self.book, id = sender.id] in
            book.note(isWritable: $0, of: id)
        }
    }

    private static func owner(_ pair: VirtualConnection, _ sender: SenderConnection) -> AppChannel.Owner {
        .sender(connection: sender.id, pair: pair, address: sender.address)
    }
}
