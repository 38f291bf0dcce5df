import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// The internal senders of one virtual device, by connection and by id. Lives on the device's event loop.
///
/// A sender is made when it is first used, and removed when it has not been used for five minutes; a timer checks that once
/// a minute while there is any sender.
final class InternalSenderGroup {
    /// Every plugin and bridge is one, every client of the API another.
    static let limit = 256
    private static let maximumNameLength = 128
    private static let idleCheck = TimeAmount.minutes(1)

    private let connectionIDs: ConnectionIDs
    /// The limit of messages of one of them; senders with a socket are counted by their address.
    private var messagesPerSecond: Int?
    private var byID: [ConnectionID: InternalSender] = [:]
    private var byEnd: [EndpointID: InternalSender] = [:]
    /// Of requests of which only the newest counts, those that wait.
    private var newest: [ReplaceableRequest: InternalSenderRequests.Promise] = [:]

    init(messagesPerSecond: Int?, connectionIDs: ConnectionIDs) {
        self.messagesPerSecond = messagesPerSecond
        self.connectionIDs = connectionIDs
    }

    var isEmpty: Bool { self.byID.isEmpty }

    subscript(id: ConnectionID) -> InternalSender? { self.byID[id] }

    /// All of them, the oldest first.
    private var all: [InternalSender] { self.byID.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// The sender of an origin; made when it is not there.
    /// - Throws: `unavailable`, `message_loop`, `invalid_request`, `send_buffer_full`.
    func sender(for origin: MessageOrigin, on device: VirtualDevice) throws(GatewayError) -> InternalSender {
        guard device.stopReason == nil else { throw GatewayError(.unavailable, "the virtual device stops") }
        guard origin.hops <= MessageOrigin.maximumHops else {
            device.router.countLoop()
            throw GatewayError(
                .messageLoop, "'\(origin.name)' answers what follows from \(MessageOrigin.maximumHops) other messages")
        }
        guard !origin.name.isEmpty, origin.name.utf8.count <= Self.maximumNameLength else {
            throw GatewayError(.init(.invalidRequest), "a sender's name has 1 to \(Self.maximumNameLength) bytes")
        }
        let now = device.eventLoop.now
        if let sender = self.byEnd[InternalSender.end(of: origin)] {
            try sender.admitMessage(from: origin, at: now)
            return sender
        }
        guard self.byID.count < Self.limit else {
            throw GatewayError(.unavailable, "'\(device.facts.name)' has too many internal senders")
        }
        let sender = InternalSender(
            id: self.connectionIDs.next(), origin: origin, messagesPerSecond: self.messagesPerSecond, at: now)
        if self.byID.isEmpty { Self.checkForIdleSendersLater(device.handle, device.eventLoop) }
        self.byID[sender.id] = sender
        self.byEnd[sender.end] = sender
        try sender.admitMessage(from: origin, at: now)
        return sender
    }

    func limit(messagesPerSecond: Int?, at now: NIODeadline) {
        guard messagesPerSecond != self.messagesPerSecond else { return }
        self.messagesPerSecond = messagesPerSecond
        for sender in self.byID.values { sender.limit(messagesPerSecond: messagesPerSecond, at: now) }
    }

    // MARK: From the device

    /// Delivers a message: a broadcast to all that are connected to its source.
    /// - Parameter session: the app that sends it; asked for when a sender gets the message.
    func receive(
        _ message: CastMessage, connection: ConnectionID?, device: String, session: @autoclosure () -> SessionFacts?
    ) {
        if message.isBroadcast {
            for sender in self.byID.values where sender.virtualConnections.hasPeers(of: message.source) {
                sender.receive(message, device: device, session: session())
            }
        } else if let connection {
            self.byID[connection]?.receive(message, device: device, session: session())
        }
    }

    /// The caller's command that a message of the device answers, or was caused by as its number says.
    func trace(of message: CastMessage, to connection: ConnectionID?) -> CommandTrace? {
        if let connection { return self.byID[connection]?.trace(of: message) }
        for sender in self.byID.values {
            if let trace = sender.trace(of: message) { return trace }
        }
        return nil
    }

    /// The origin of a message of the device; nil when it does not go to an internal sender.
    func origin(of message: CastMessage, to connection: ConnectionID) -> MessageOrigin? {
        self.byID.isEmpty ? nil : self.byID[connection]?.origin(of: message)
    }

    /// The CONNECTs to the platform, the oldest sender's first.
    var platformConnects: [(id: ConnectionID, connect: CastMessage)] {
        self.all.compactMap { sender in sender.platformConnect.map { (sender.id, $0) } }
    }

    /// An app is gone, and with it the virtual connections to it.
    func closeVirtualConnections(of transport: EndpointID) {
        for sender in self.all { sender.closed(transport) }
    }

    func closeVirtualConnection(_ connection: VirtualConnection, of id: ConnectionID) {
        self.byID[id]?.closed(connection.local)
    }

    /// Closes the connections to apps, since another target takes over.
    func closeApplicationConnections() {
        for sender in self.all { sender.closeApplicationConnections() }
    }

    // MARK: Requests that replace one another

    /// Notes the newest request of a kind; the one before it, whichever sender's it is, fails with `replaced`.
    func replace(_ kind: ReplaceableRequest, with promise: InternalSenderRequests.Promise) {
        let older = self.newest.updateValue(promise, forKey: kind)
        older?.fail(GatewayError(.init(.replaced), "another request took the place of this one"))
        let group = NIOLoopBound(self, eventLoop: promise.futureResult.eventLoop)
        promise.futureResult.whenComplete { _ in
            guard group.value.newest[kind]?.futureResult === promise.futureResult else { return }
            group.value.newest[kind] = nil
        }
    }

    // MARK: Removal

    /// Removes all: what they wait for ends with the reason.
    func removeAll(_ reason: String) {
        let senders = self.all
        (self.byID, self.byEnd) = ([:], [:])
        for sender in senders { sender.end(reason) }
    }

    private static func checkForIdleSendersLater(_ handle: VirtualDevice.Handle, _ eventLoop: any EventLoop) {
        let bound = NIOLoopBound(handle, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.idleCheck) {
            guard let device = bound.value.device else { return }
            device.internalSenders.removeIdle(from: device)
        }
    }

    private func removeIdle(from device: VirtualDevice) {
        let now = device.eventLoop.now
        for sender in self.all where sender.isIdle(at: now) {
            self.byID[sender.id] = nil
            self.byEnd[sender.end] = nil
            device.router.connectionClosed(sender.id)
            device.target.connectionLost(sender.id)
            sender.end("it was not used any more")
        }
        device.flush()
        if !self.byID.isEmpty { Self.checkForIdleSendersLater(device.handle, device.eventLoop) }
    }
}

/// The identity of a request that a newer one replaces: its name, such as `SEEK`, and the end that is asked.
struct ReplaceableRequest: Hashable {
    let name: String
    let local: EndpointID
}
