import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// A real device as the target of one virtual device: virtual connections one to one, everything else as it comes.
///
/// Keeps the virtual connections that the senders of its virtual device have, and what they were told of the device's apps.
/// Several relays may share one ``DeviceSession``, and with it one channel; all live on its event loop.
final class DeviceRelay: MirroringTarget {
    let virtualDevice: DeviceFacts
    /// A sender that is connected to an app has this long to finish before its channel is closed.
    private static let closeDelay = TimeAmount.seconds(5)

    private let session: DeviceSession
    private let senders: SenderRelay
    private let channel: DeviceChannel
    /// The apps that the senders were not told that the device has.
    private(set) var notes = AvailabilityNotes()
    let mirroring: MirroringStreams
    private let closeTimer: LoopTimer
    /// The channels whose GET_STATUS has waited for the device since it was online last; each waits once.
    private var waited: Set<ConnectionID> = []
    private(set) var output: (any SenderOutput)?
    private var connections: [SenderEnd: [EndpointID: CastMessage]] = [:] {
        didSet { self.recent = nil }
    }
    /// The route of the last message, along a virtual connection that is open.
    private var recent: RouteToDevice?

    /// The number of virtual connections the senders have.
    var connectionCount: Int { self.connections.values.reduce(0) { $0 + $1.count } }

    init(virtualDevice: DeviceFacts, session: DeviceSession) {
        self.virtualDevice = virtualDevice
        self.session = session
        self.senders = session.senders
        self.channel = session.link.channel
        self.mirroring = MirroringStreams(
            device: virtualDevice.name, pool: session.media, events: session.events, eventLoop: session.eventLoop,
            logger: session.logger)
        self.closeTimer = LoopTimer(on: session.eventLoop)
    }

    var eventLoop: any EventLoop { self.session.eventLoop }
    /// The device's address, as it is reached now; nil while it is out of reach.
    var deviceAddress: SocketAddress? { self.channel.deviceAddress }

    private func sender(_ connection: ConnectionID, _ end: EndpointID) -> SenderEnd {
        SenderEnd(relay: ObjectIdentifier(self), connection: connection, end: end)
    }

    // MARK: From the senders

    func start(output: any SenderOutput) {
        self.output = output
        self.session.attach(self)
    }

    func stop() {
        self.closeTimer.cancel()
        self.mirroring.end(.deviceStopped) { _ in true }
        self.session.detach(self)
        self.output = nil
    }

    /// The device is told that its senders go, the senders that its apps do.
    func prepareForReplacement() {
        self.senders.outage.release(self)
        self.mirroring.end(.deviceStopped) { _ in true }
        for connection in Set(self.connections.keys.map(\.connection)).sorted(by: { $0.rawValue < $1.rawValue }) {
            let transports = Set(self.connections.filter { $0.key.connection == connection }.flatMap(\.value.keys))
            for transport in transports where transport != .platformReceiver {
                self.output?.closeVirtualConnections(of: transport)
            }
            self.connectionLost(connection, keepingNotes: true)
        }
        self.notes.learnedNothingHolds()
        self.closeOutdated()
        self.channel.flush()
    }

    func announce() {
        self.senders.outage.announce(to: self)
    }

    /// The device decides about transport ids; while it is out of reach only the platform can be connected to, and for a
    /// short time what ran when it was lost.
    func accepts(_ end: EndpointID) -> Bool {
        end == .platformReceiver || self.channel.isOnline
            || self.senders.outage.isInGracePeriod && self.session.platform.facts(at: end) != nil
    }

    /// In the grace period it may be back soon, and senders are not told.
    var isThere: Bool { self.channel.isOnline || self.senders.outage.isInGracePeriod }

    /// One that is out of reach is not full.
    var isWritable: Bool { self.channel.isWritable }

    func connect(_ message: CastMessage, from connection: ConnectionID) {
        let sender = self.sender(connection, message.source)
        self.connections[sender, default: [:]][message.destination] = message
        self.senders.sendConnect(message, for: sender)
    }

    func disconnect(_ message: CastMessage, from connection: ConnectionID) {
        let sender = self.sender(connection, message.source)
        self.connections[sender]?[message.destination] = nil
        self.mirroring.end(.closedBySender) { $0.sender == sender && $0.app == message.destination }
        self.senders.send(message, for: sender)
        self.forgetIfIdle(sender, without: message.destination)
    }

    func connectionLost(_ connection: ConnectionID) {
        self.connectionLost(connection, keepingNotes: false)
    }

    private func connectionLost(_ connection: ConnectionID, keepingNotes: Bool) {
        for (sender, locals) in self.connections where sender.connection == connection {
            for local in locals.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                let close = CastMessage(
                    source: sender.end, destination: local, namespace: .connection,
                    payload: ConnectionPayload.close().payload)
                self.senders.send(close, for: sender)
            }
            self.connections[sender] = nil
        }
        self.mirroring.end(.senderGone) { $0.sender.connection == connection }
        self.senders.forget(connection, of: self)
        if !keepingNotes { self.notes.forget(connection) }
        self.waited.remove(connection)
    }

    func receive(_ message: CastMessage, from connection: ConnectionID) {
        // A message that was held back may come behind its sender's CLOSE.
        guard let route = self.route(of: message.names, from: connection) else { return }
        if route.isMirroring {
            self.mirroring.sent(
                message.payload, by: StreamOffers.Parties(sender: route.sender, app: message.destination))
        } else if message.family == .receiver, !self.mirroring.isRelayed,
            let outcome = StreamedApps.answer(to: message)
        {
            if case .answered(let answer) = outcome { self.answer(answer, to: connection) }
            return
        }
        if case .answered(let answer) = self.senders.request(message, along: route) {
            self.answer(answer, to: connection)
        }
    }

    /// The route of a message towards the device; nil when its virtual connection is not open.
    private func route(of names: MessageNames, from connection: ConnectionID) -> RouteToDevice? {
        if let recent, recent.names === names, recent.sender.connection == connection { return recent }
        let sender = self.sender(connection, names.source)
        guard let locals = self.connections[sender],
            names.destination == .broadcast || locals[names.destination] != nil
        else { return nil }
        let route = RouteToDevice(names: names, sender: sender)
        self.recent = route
        return route
    }

    /// True if a channel's GET_STATUS to a device out of reach waits for it: once, until the device is online again.
    func mayWaitForStatus(_ connection: ConnectionID) -> Bool {
        self.waited.insert(connection).inserted
    }

    func session(at transport: EndpointID) -> SessionFacts? {
        self.session.platform.facts(at: transport)
    }

    var sessionCount: Int { self.session.platform.sessionCount }

    var sessions: [SessionFacts] { self.session.platform.apps }

    var running: RunningApps { self.session.platform.running }

    func media(at transport: EndpointID) -> JSONObject? { self.session.platform.mediaStatus(at: transport) }

    func times(of app: SessionFacts) -> AppTimes { self.session.platform.times(of: app) }

    func flush() {
        self.channel.flush()
    }

    // MARK: From the device

    /// The device is online: a GET_STATUS may wait again when it is lost the next time.
    func deviceOnline() {
        self.waited = []
        self.output?.targetChanged()
    }

    /// The platform connections of the senders, to be opened again on a new channel.
    var platformConnections: [(sender: SenderEnd, connect: CastMessage)] {
        self.connections(to: .platformReceiver)
    }

    /// The connection of a sender's end to the platform; nil when there is none.
    func platformConnection(of sender: SenderEnd) -> CastMessage? {
        self.connections[sender]?[.platformReceiver]
    }

    /// The apps that senders are connected to.
    var transports: Set<EndpointID> {
        Set(self.connections.values.flatMap(\.keys)).subtracting([.platformReceiver])
    }

    /// The virtual connections of the senders to one end.
    func connections(to local: EndpointID) -> [(sender: SenderEnd, connect: CastMessage)] {
        self.connections
            .compactMap { sender, locals in locals[local].map { (sender: sender, connect: $0) } }
            .sorted {
                ($0.sender.connection.rawValue, $0.sender.end.rawValue)
                    < ($1.sender.connection.rawValue, $1.sender.end.rawValue)
            }
    }

    /// The device closed one virtual connection.
    func closedByDevice(_ message: CastMessage, to sender: SenderEnd) {
        self.connections[sender]?[message.source] = nil
        self.mirroring.end(.closedByDevice) { $0.sender == sender && $0.app == message.source }
        let pair = VirtualConnection(local: message.source, peer: sender.end)
        self.output?.closeVirtualConnection(pair, on: sender.connection, message: message)
        self.forgetIfIdle(sender, without: message.source)
    }

    /// An app is gone, and with it the virtual connections to it.
    func appLost(_ transport: EndpointID) {
        self.mirroring.end(.appEnded) { $0.app == transport }
        for (sender, locals) in self.connections where locals[transport] != nil {
            self.connections[sender]?[transport] = nil
            self.forgetIfIdle(sender, without: transport)
        }
        self.output?.closeVirtualConnections(of: transport)
    }

    /// The channel to the device is gone, and with it every app's virtual connections.
    func deviceLost() {
        self.output?.targetChanged()
        for transport in self.transports.sorted(by: { $0.rawValue < $1.rawValue }) { self.appLost(transport) }
    }

    /// An id towards the device is kept only while the sender's end has a virtual connection, so it cannot pile up.
    private func forgetIfIdle(_ sender: SenderEnd, without closed: EndpointID) {
        guard self.connections[sender]?.isEmpty ?? true else { return self.senders.forget(sender, at: closed) }
        self.connections[sender] = nil
        self.senders.forget(sender)
    }

    // MARK: Which apps the senders believe that the device has

    /// Gives a sender an answer, the device's or one in its place, and notes what that says of apps.
    func answer(_ answer: CastMessage, to connection: ConnectionID) {
        if answer.family == .receiver, answer.source == .platformReceiver,
            answer.summary.type == AppAvailability.type, let availability = AppAvailability(answer.payload)
        {
            self.notes.told(availability, to: connection)
        }
        self.output?.send(answer, to: connection)
    }

    func learned(available: Set<AppID>) {
        self.notes.learned(available: self.mirroring.isRelayed ? available : available.filter { !$0.isStreamed })
        self.closeOutdated()
    }

    /// Closes the channels of the senders that have to ask again which apps there are. One that is connected to an app, or
    /// waits for the platform, keeps its channel until it has finished.
    func closeOutdated() {
        var isAnyLeft = false
        for connection in self.notes.outdated.sorted(by: { $0.rawValue < $1.rawValue }) {
            if self.isBusy(connection) {
                isAnyLeft = true
            } else {
                self.notes.forget(connection)
                self.output?.close(connection, reason: "the device has apps that the sender was not told of")
            }
        }
        guard isAnyLeft else { return self.closeTimer.cancel() }
        self.closeTimer.set(until: self.eventLoop.now + Self.closeDelay) { self.closeOutdated() }
    }

    private func isBusy(_ connection: ConnectionID) -> Bool {
        let isConnected = self.connections.contains { sender, locals in
            sender.connection == connection && locals.keys.contains { $0 != .platformReceiver }
        }
        return isConnected || self.senders.platformWaits(for: connection, of: self)
    }
}

// Mirroring.
extension DeviceRelay {
    /// The open streams.
    var streams: [MirroringStream] { self.mirroring.all }

    /// Takes how streams are passed on. When they are from now on, senders that were told that the apps for it are not there
    /// have to ask again.
    func follow(_ settings: MirroringSettings) {
        let wasRelayed = self.mirroring.isRelayed
        self.mirroring.follow(settings)
        if !wasRelayed, settings.isRelayed { self.senders.recheckAvailability() }
    }

    /// The apps that the senders do not believe that the device has, and that it may have.
    var missingApps: Set<AppID> {
        let apps = self.notes.missingApps
        return self.mirroring.isRelayed ? apps : apps.filter { !$0.isStreamed }
    }

    /// The message of the device's platform as senders get it.
    func shown(_ message: CastMessage) -> CastMessage {
        self.mirroring.isRelayed ? message : StreamedApps.withheld(from: message)
    }

    /// The message of an app about a stream as the sender gets it; nil when it gets nothing.
    func negotiated(_ message: CastMessage, with sender: SenderEnd) -> CastMessage? {
        self.mirroring.received(message, for: StreamOffers.Parties(sender: sender, app: message.source)) {
            MirroringStreams.Path(
                sender: self.output?.endpoints(of: sender.connection), device: self.deviceAddress,
                app: self.session(at: message.source))
        }
    }
}
