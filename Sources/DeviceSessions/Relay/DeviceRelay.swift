import CastWire
import GatewayCore
import NIOCore

/// A real device as the target of one virtual device: virtual connections one to one, everything else as it comes.
///
/// Several relays may share one ``DeviceSession``, and with it one channel; all live on its event loop.
final class DeviceRelay: DeviceTarget {
    let virtualDevice: DeviceFacts
    private let session: DeviceSession
    /// Which apps the senders were told that the device does not have.
    var notes = AvailabilityNotes()
    let courtesyTimer: LoopTimer
    /// The channels that have asked how an unreachable device stands, and waited for it; each does once.
    private var waited: Set<ConnectionID> = []
    private(set) var output: (any SenderOutput)?
    private var connections: [SenderIDs.North: [EndpointID: CastMessage]] = [:] {
        didSet { self.recent = nil }
    }
    /// The way of the last message, along a virtual connection that is open.
    private var recent: RelayWay?

    /// How many virtual connections the senders have.
    var connectionCount: Int { self.connections.values.reduce(0) { $0 + $1.count } }

    init(virtualDevice: DeviceFacts, session: DeviceSession) {
        self.virtualDevice = virtualDevice
        self.session = session
        self.courtesyTimer = LoopTimer(on: session.eventLoop)
    }

    var eventLoop: any EventLoop { self.session.eventLoop }

    func north(_ connection: ConnectionID, _ end: EndpointID) -> SenderIDs.North {
        SenderIDs.North(relay: ObjectIdentifier(self), connection: connection, end: end)
    }

    // MARK: From the senders

    func start(output: any SenderOutput) {
        self.output = output
        self.session.attach(self)
    }

    func stop() {
        self.courtesyTimer.cancel()
        self.session.detach(self)
        self.output = nil
    }

    /// The device hears that its senders go, the senders that its apps do.
    func giveWay() {
        self.session.giveWay(self)
        for connection in Set(self.connections.keys.map(\.connection)).sorted(by: { $0.rawValue < $1.rawValue }) {
            let transports = Set(self.connections.filter { $0.key.connection == connection }.flatMap(\.value.keys))
            for transport in transports where transport != .platformReceiver {
                self.output?.closeVirtualConnections(of: transport)
            }
            self.connectionLost(connection, keepingNotes: true)
        }
        self.notes.learnedNothingHolds()
        self.letOutdatedGo()
        self.session.flush()
    }

    func announce() {
        self.session.announce(to: self)
    }

    /// The device decides about transport ids; while it is out of reach only the platform can be connected to, and for a
    /// short time what ran when it was lost.
    func accepts(_ end: EndpointID) -> Bool {
        end == .platformReceiver || self.session.isOnline
            || self.session.gap.isOpen && self.session.facts(at: end) != nil
    }

    func connect(_ message: CastMessage, from connection: ConnectionID) {
        let north = self.north(connection, message.source)
        self.connections[north, default: [:]][message.destination] = message.detached
        self.session.sendConnect(message, for: north)
    }

    func disconnect(_ message: CastMessage, from connection: ConnectionID) {
        let north = self.north(connection, message.source)
        self.connections[north]?[message.destination] = nil
        self.session.send(message, for: north)
        self.forgetIfIdle(north, without: message.destination)
    }

    func connectionLost(_ connection: ConnectionID) {
        self.connectionLost(connection, keepingNotes: false)
    }

    private func connectionLost(_ connection: ConnectionID, keepingNotes: Bool) {
        for (north, locals) in self.connections where north.connection == connection {
            for local in locals.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                let close = CastMessage(
                    source: north.end, destination: local, namespace: .connection,
                    payload: ConnectionPayload.close().payload)
                self.session.send(close, for: north)
            }
            self.connections[north] = nil
        }
        self.session.forget(connection, of: self)
        if !keepingNotes { self.notes.forget(connection) }
        self.waited.remove(connection)
    }

    func receive(_ message: CastMessage, from connection: ConnectionID) {
        // A message that was held back may come behind its sender's CLOSE.
        guard let way = self.way(of: message.names, from: connection) else { return }
        switch self.session.request(message, along: way) {
        case .sent: break
        case .answered(let answer): self.answer(answer, to: connection)
        case .ignored: break
        }
    }

    /// The way of a message towards the device; nil when its virtual connection is not open.
    private func way(of names: MessageNames, from connection: ConnectionID) -> RelayWay? {
        if let recent, recent.names === names, recent.north.connection == connection { return recent }
        let north = self.north(connection, names.source)
        guard let locals = self.connections[north],
            names.destination == .broadcast || locals[names.destination] != nil
        else { return nil }
        let way = RelayWay(names: names, north: north)
        self.recent = way
        return way
    }

    /// Whether a channel that asks how the device stands, which is out of reach, waits for it: the first time.
    func waits(_ connection: ConnectionID) -> Bool {
        self.waited.insert(connection).inserted
    }

    /// The device is here: a sender that asks when it is lost the next time waits again.
    func deviceFound() {
        self.waited = []
    }

    /// Whether a channel has anything to do with an app, or waits for the platform.
    func isBusy(_ connection: ConnectionID) -> Bool {
        let isConnected = self.connections.contains { north, locals in
            north.connection == connection && locals.keys.contains { $0 != .platformReceiver }
        }
        return isConnected || self.session.pending.platformWaits(for: connection, of: ObjectIdentifier(self))
    }

    func session(at transport: EndpointID) -> SessionFacts? {
        self.session.facts(at: transport)
    }

    var sessionCount: Int { self.session.sessionCount }

    var sessions: [SessionFacts] { self.session.apps }

    var running: RunningApps { self.session.running }

    func media(at transport: EndpointID) -> JSONObject? { self.session.mediaStatus(at: transport) }

    func flush() {
        self.session.flush()
    }

    // MARK: From the device

    /// The platform connections of the senders, to be opened again on a new channel.
    var platformConnections: [(north: SenderIDs.North, connect: CastMessage)] {
        self.connections(to: .platformReceiver)
    }

    /// How an end of a sender is connected to the platform; nil when it is not.
    func platformConnection(of north: SenderIDs.North) -> CastMessage? {
        self.connections[north]?[.platformReceiver]
    }

    /// The apps that senders are connected to.
    var transports: Set<EndpointID> {
        Set(self.connections.values.flatMap(\.keys)).subtracting([.platformReceiver])
    }

    /// The virtual connections of the senders to one end.
    func connections(to local: EndpointID) -> [(north: SenderIDs.North, connect: CastMessage)] {
        self.connections
            .compactMap { north, locals in locals[local].map { (north: north, connect: $0) } }
            .sorted {
                ($0.north.connection.rawValue, $0.north.end.rawValue)
                    < ($1.north.connection.rawValue, $1.north.end.rawValue)
            }
    }

    /// The device closed one virtual connection.
    func closedByDevice(_ message: CastMessage, to north: SenderIDs.North) {
        self.connections[north]?[message.source] = nil
        let pair = VirtualConnection(local: message.source, peer: north.end)
        self.output?.closeVirtualConnection(pair, on: north.connection, message: message)
        self.forgetIfIdle(north, without: message.source)
    }

    /// An app is gone, and with it the virtual connections to it.
    func appLost(_ transport: EndpointID) {
        for (north, locals) in self.connections where locals[transport] != nil {
            self.connections[north]?[transport] = nil
            self.forgetIfIdle(north, without: transport)
        }
        self.output?.closeVirtualConnections(of: transport)
    }

    /// The channel to the device is gone, and with it every app's virtual connections.
    func deviceLost() {
        for transport in self.transports.sorted(by: { $0.rawValue < $1.rawValue }) { self.appLost(transport) }
    }

    /// An id towards the device is kept only while the sender's end has a virtual connection, so it cannot pile up.
    private func forgetIfIdle(_ north: SenderIDs.North, without closed: EndpointID) {
        guard self.connections[north]?.isEmpty ?? true else { return self.session.forget(north, at: closed) }
        self.connections[north] = nil
        self.session.forget(north)
    }
}
