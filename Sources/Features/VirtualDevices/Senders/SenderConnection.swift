import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// One sender's channel to a virtual device: its virtual connections, and what goes in and out.
///
/// Owned by its channel; lives on the device's event loop.
final class SenderConnection: CastConnectionDelegate {
    let id: ConnectionID
    private let device: VirtualDevice
    private(set) var virtualConnections = VirtualConnections() {
        didSet { self.recent = nil }
    }
    /// The names of the open pair of the last message: messages come in runs.
    private var recent: MessageNames?
    /// The number of virtual connections that the account has counted.
    private var countedVirtualConnections = 0
    /// The connection as it is counted over all devices; nil for one that is not.
    private let admission: ConnectionAdmission?
    /// The bytes that the budget is charged with for its virtual connections.
    private var chargedBytes = 0
    private var authentication: DeviceAuthentication
    /// The account of the sender's address, together with its other connections to the device.
    let account: SenderAccount
    private var connects = FloodGuard(.connect, perSecond: 50, burst: 500)
    /// Also known when the channel is gone.
    private(set) var address = "unknown"
    /// The time when its channel stood.
    private(set) var connectedAt: NIODeadline
    /// The reason with which the sender closed its connection to the platform; nil when it has given none.
    private(set) var closeReason: ConnectionPayload.CloseReason?
    private var channel: CastConnection?
    /// Tells whether the sender takes what it is sent; nil before it had to be told.
    private var writability: WritabilityNotes?
    /// True if it has said what it is.
    private var isIntroduced = false
    /// Set while something is queued that no read of this channel will flush.
    private var needsFlush = false

    init(id: ConnectionID, device: VirtualDevice, account: SenderAccount, admission: ConnectionAdmission? = nil) {
        self.id = id
        self.admission = admission
        self.account = account
        self.device = device
        self.authentication = DeviceAuthentication()
        self.connectedAt = device.eventLoop.now
    }

    var inboundBudget: InboundBudget? { self.account.budget }

    // MARK: Out

    /// Queues a message; it leaves when the device flushes. Of an answer that is too large for a frame, the sender gets an
    /// error with the request's id, so that it does not wait in vain.
    func send(_ message: CastMessage) {
        if let channel, !channel.send(message) {
            self.device.logger.warning("A message is too large for a sender and is lost", metadata: message.logMetadata)
            guard let error = Self.error(inPlaceOf: message), channel.send(error) else { return }
        }
        if !self.needsFlush {
            self.needsFlush = true
            self.device.senders.flushLater(self)
        }
    }

    /// The error in the place of an answer that does not fit into a frame; nil for a message that answers no request.
    private static func error(inPlaceOf message: CastMessage) -> CastMessage? {
        guard !message.isBroadcast else { return nil }
        let tooLarge = Rejection(reason: "APP_ERROR", message: "the answer is too large for a message")
        let request = message.reply(message.payload)
        return tooLarge.answer(to: request, PayloadSummary(peeking: message.payload))
    }

    func flush() {
        self.needsFlush = false
        self.channel?.flush()
    }

    /// The ends of its channel, here and at the sender; nil when it is gone.
    var endpoints: (local: SocketAddress, remote: SocketAddress)? { self.channel?.endpoints }

    /// True if it takes more messages.
    var isWritable: Bool { self.channel?.isWritable ?? false }

    func close(_ reason: String) {
        self.channel?.close(reason)
    }

    /// Tells every end of this sender that is connected to an app that the app is gone.
    func closeVirtualConnections(of transport: EndpointID) {
        for peer in self.virtualConnections.closeAll(local: transport) {
            self.device.channels.closed(VirtualConnection(local: transport, peer: peer), of: self, "the app is gone")
            self.send(Self.closeMessage(from: transport, to: peer))
        }
        self.countVirtualConnections()
    }

    /// Forgets one virtual connection, because the device closed it, and passes the CLOSE on.
    func closeVirtualConnection(_ connection: VirtualConnection, message: CastMessage) {
        guard self.virtualConnections.close(connection) else { return }
        self.device.channels.closed(connection, of: self, "the device closed the connection")
        self.countVirtualConnections()
        self.send(message)
    }

    /// Tells the account of the address how many virtual connections there are, and the budget what they cost.
    /// - Returns: false when the budget has no room for what was opened; it has to be closed again then.
    @discardableResult
    private func countVirtualConnections() -> Bool {
        let count = self.virtualConnections.count
        self.account.virtualConnections += count - self.countedVirtualConnections
        self.countedVirtualConnections = count
        let bytes =
            count * PeerCost.virtualConnection + self.virtualConnections.connectBytes * PeerCost.perConnectByte
        if bytes > self.chargedBytes, self.admission?.charge(bytes - self.chargedBytes) == false { return false }
        self.admission?.refund(self.chargedBytes - bytes)
        self.chargedBytes = bytes
        return true
    }

    /// Tells every end of this sender that is connected to any app that the app is gone.
    func closeApplicationConnections() {
        let locals = Set(self.virtualConnections.all.map(\.connection.local)).subtracting([.platformReceiver])
        for local in locals.sorted(by: { $0.rawValue < $1.rawValue }) { self.closeVirtualConnections(of: local) }
    }

    /// The facts about the sender; what it told the platform counts first.
    var facts: SenderFacts {
        SenderFacts(
            self.virtualConnections.all.sorted { Self.order($0.connection) < Self.order($1.connection) }
                .lazy.compactMap { ConnectionPayload($0.entry.connect.payload) })
    }

    private static func order(_ connection: VirtualConnection) -> (Int, String, String) {
        (connection.local == .platformReceiver ? 0 : 1, connection.peer.rawValue, connection.local.rawValue)
    }

    /// The CONNECT of each virtual connection to the platform.
    var platformConnects: [CastMessage] {
        self.virtualConnections.all.filter { $0.connection.local == .platformReceiver }
            .sorted { $0.connection.peer.rawValue < $1.connection.peer.rawValue }.map(\.entry.connect)
    }

    private static func closeMessage(from local: EndpointID, to peer: EndpointID) -> CastMessage {
        CastMessage(
            source: local, destination: peer, namespace: .connection, payload: ConnectionPayload.close().payload)
    }

    // MARK: In

    func connectionReady(_ connection: CastConnection) {
        self.channel = connection
        self.address = connection.peerAddress
        self.connectedAt = self.device.eventLoop.now
        self.device.senderConnected(self)
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        if self.device.router.isTracing { self.device.logger.trace("Received", metadata: message.logMetadata) }
        // No sender's end is called `*`, and an answer to it would reach every end of the channel.
        guard message.source != .broadcast else { return }
        switch message.family {
        case .deviceAuth: self.authenticate(message, on: connection)
        case .connection: self.receiveConnectionMessage(message)
        case .heartbeat, .transport:
            self.device.logger.debug("Ignored a transport message", metadata: ["namespace": "\(message.namespace)"])
        case .invalid:
            self.device.logger.debug("Ignored a message whose namespace is none")
        case .custom, .receiver, .cast:
            if self.isOpen(message.names) {
                self.device.route(message, from: self)
            } else if message.isBroadcast {
                // An end that is connected to nothing has no receiver to broadcast to.
                if self.virtualConnections.hasLocals(of: message.source) { self.device.route(message, from: self) }
            } else {
                // Devices answer CLOSE to a sender that has not sent CONNECT (protocol notes, 3.4).
                self.send(Self.closeMessage(from: message.destination, to: message.source))
            }
        }
    }

    func connectionReadComplete(_ connection: CastConnection) {
        self.device.flush(charging: self.account)
    }

    func connectionWritabilityChanged(_ connection: CastConnection) {
        guard self.writability != nil || !connection.isWritable else { return }
        if self.writability == nil { self.writability = self.device.channels.writability(of: self) }
        self.writability?.note(connection.isWritable)
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        self.writability?.reset()
        self.channel = nil
        self.account.virtualConnections -= self.countedVirtualConnections
        self.countedVirtualConnections = 0
        self.address = connection.peerAddress
        self.device.senderDisconnected(self, reason: reason)
    }

    private func isOpen(_ names: MessageNames) -> Bool {
        if self.recent === names { return true }
        let pair = VirtualConnection(local: names.destination, peer: names.source)
        guard self.virtualConnections.contains(pair) else { return false }
        self.recent = names
        return true
    }

    private func receiveConnectionMessage(_ message: CastMessage) {
        if let error = self.connects.count(at: self.device.eventLoop.now) {
            self.channel?.close(with: error)
            return
        }
        guard message.destination != .broadcast, let payload = ConnectionPayload(message.payload) else { return }
        let pair = VirtualConnection(local: message.destination, peer: message.source)
        defer { self.countVirtualConnections() }
        switch payload.kind {
        case .connect:
            // It is kept for long.
            let message = message.detached
            let isNew = !self.virtualConnections.contains(pair)
            let isAccepted = self.device.target.accepts(pair.local)
            guard payload.connectionType != nil, isAccepted, self.account.mayKeep(message, isNew: isNew),
                self.virtualConnections.open(pair, connect: message), self.countVirtualConnections()
            else {
                self.device.senderLog.joinRefused(
                    pair, by: self, session: self.device.target.session(at: pair.local),
                    reason: isAccepted ? "more than a sender may have" : "no such app")
                let close = Self.closeMessage(from: pair.local, to: pair.peer)
                if self.virtualConnections.close(pair) {
                    self.device.channels.closed(pair, of: self, "the connection is refused")
                    self.device.target.disconnect(close.reply(close.payload), from: self.id)
                }
                self.send(close)
                return
            }
            // Only a sender that offers versions waits for an answer; others expect none (protocol notes, 3.3).
            if let version = payload.negotiatedVersion {
                self.send(message.reply(ConnectionPayload.connected(version: version).payload))
            }
            if pair.local == .platformReceiver { self.closeReason = nil }
            self.introduce(by: payload)
            self.device.target.connect(message, from: self.id)
            if self.virtualConnections.contains(pair) { self.device.channels.opened(pair, of: self) }
            if isNew, self.virtualConnections.contains(pair) {
                self.device.senderLog.joined(pair, by: self, session: self.device.target.session(at: pair.local))
            }
        case .close:
            if self.virtualConnections.close(pair) {
                if pair.local == .platformReceiver { self.closeReason = payload.statedReason }
                self.device.channels.closed(pair, of: self, "the sender closed the connection")
                self.device.target.disconnect(message, from: self.id)
            }
        case .connected, nil: break
        }
    }

    private func introduce(by connect: ConnectionPayload) {
        guard !self.isIntroduced else { return }
        let facts = SenderFacts([connect])
        guard !facts.isEmpty else { return }
        self.isIntroduced = true
        self.device.senderLog.introduced(self, facts)
    }

    private func authenticate(_ message: CastMessage, on connection: CastConnection) {
        guard self.account.mayChallenge(at: self.device.eventLoop.now) else {
            connection.close(with: .flood(.challenge))
            return
        }
        self.perform(self.authentication.receive(message, leaf: connection.servedLeaf))
    }

    private func perform(_ action: DeviceAuthentication.Action) {
        switch action {
        case .ignore: break
        case .answer(let answer, let request): self.send(request.reply(answer.payload))
        case .refuseFurther: self.channel?.close(with: .flood(.challenge))
        case .sign(let job, let request):
            let owner = NIOLoopBound(self, eventLoop: self.device.eventLoop)
            self.device.signer?.sign(job).whenComplete { result in
                if case .failure(let error) = result {
                    owner.value.device.logger.error("A challenge cannot be signed", metadata: ["reason": "\(error)"])
                }
                owner.value.send(request.reply(job.answer(with: result).payload))
                for next in owner.value.authentication.signed() { owner.value.perform(next) }
                owner.value.device.flush()
            }
        }
    }
}
