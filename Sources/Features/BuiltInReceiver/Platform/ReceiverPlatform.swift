import CastWire
import GatewayCore
import NIOCore

/// The built-in receiver of a virtual device: what a Chromecast does at its Cast channel, without any hardware.
///
/// A state machine: it is told what senders do and what time it is, and says what is to be sent. Its owner
/// 1. hands every CONNECT to ``connect(_:payload:from:at:)`` and answers a refused one with CLOSE,
/// 2. hands every CLOSE and every lost channel to ``disconnect(sender:transport:connection:at:)`` and
///    ``connectionLost(_:at:)``,
/// 3. hands every other message but heartbeats and device authentication to ``handle(_:from:at:)``,
/// 4. carries the actions out in their order, and calls ``timerFired(at:)`` once ``nextDeadline`` has come.
///
/// At most one app runs at a time (protocol notes, 5 and 8.2).
struct ReceiverPlatform: Sendable {
    enum Action: Equatable, Sendable {
        /// Send to one sender; the message's destination is the sender's id.
        case send(CastMessage, to: ConnectionID)
        /// Send once to every channel with a virtual connection to the message's source.
        case broadcast(CastMessage)
        /// Send CLOSE from the end to every sender connected to it, and forget these connections.
        case closeVirtualConnections(of: EndpointID)
        case sessionStarted(SessionFacts)
        /// Tell observers that an app has ended, why (one of ``SessionEnd``), and which app takes its place.
        case sessionEnded(sessionID: String, reason: String, runningApp: AppID?)
        /// Tell observers of something that no status says.
        case tell(ReceiverChange)
        /// Ask the provider of a queue, a plugin; ``provided(_:in:_:at:)`` takes its answer.
        case ask(QueueQuestion, of: String, within: Duration, token: Int)
        /// Have the members of this group change their volume, or the one member of that name alone.
        case changeMembers(VolumeOrder, only: String?)
    }

    /// The limit of a sender's id and of a request's id, in bytes; both travel back in every answer.
    static let maximumIDLength = 256

    var configuration: ReceiverConfiguration
    var description: any DeviceDescription
    var profiles: [AppProfile]
    let launchPlan: @Sendable (VirtualAppConfiguration) -> LaunchPlan
    private let makeID: @Sendable () -> String

    var application: RunningApp?
    var pendingLaunch: PendingLaunch?
    var volume: DeviceVolume
    var senders = SenderTable()
    /// The state of the screen, for a device that has one.
    var screen = Screen()
    /// The receiver's part in speaker groups, and its view of them.
    var speakers = SpeakerPart()

    /// Switches the receiver on.
    ///
    /// - Parameters:
    ///   - configuration: The apps, and how they run.
    ///   - description: What the device says of itself.
    ///   - makeID: Makes a new UUID with dashes at every call, for sessions.
    ///   - launchPlan: How the launch of an app goes; as configured unless a test wants something else.
    init(
        configuration: ReceiverConfiguration, description: any DeviceDescription,
        makeID: @escaping @Sendable () -> String,
        launchPlan: @escaping @Sendable (VirtualAppConfiguration) -> LaunchPlan = { LaunchPlan($0.launch) }
    ) {
        self.configuration = configuration
        self.description = description
        self.makeID = makeID
        self.launchPlan = launchPlan
        self.profiles = Self.profiles(of: configuration)
        self.volume = DeviceVolume(configuration.volume)
        _ = self.showIdleScreen()
    }

    /// Apps for mirroring send pictures and sound over UDP, which this receiver does not take; and of presets there are those
    /// that something plays.
    static func profiles(of configuration: ReceiverConfiguration) -> [AppProfile] {
        configuration.availableApps.map(AppProfile.init).filter { !AppID.streamingApps.contains($0.id) }
    }

    // MARK: What others may know

    /// The session at a transport id, the idle screen too; nil when nothing runs there.
    func session(at transport: EndpointID) -> SessionFacts? {
        guard let facts = self.application?.facts, facts.transportID == transport else { return nil }
        return facts
    }

    /// The app that a sender launched; nil while nothing runs but perhaps the idle screen.
    var currentSession: SessionFacts? {
        guard let application = self.application, !application.isIdleScreen else { return nil }
        return application.facts
    }

    /// The app on the screen, and that this is all; not while a launch is under way, which a STOP ends too.
    var running: RunningApps {
        RunningApps(self.application.map { [$0.facts] } ?? [], isComplete: self.pendingLaunch == nil)
    }

    /// The parameters of the LAUNCH of the current session.
    var launchParameters: LaunchParameters? { self.application?.parameters }

    /// The time when ``timerFired(at:)`` wants to be called next; nil when nothing is due.
    var nextDeadline: NIODeadline? {
        [self.pendingLaunch?.deadline, self.application?.player?.nextDeadline, self.idleDeadline]
            .compactMap(\.self).min()
    }

    // MARK: Virtual connections

    /// Takes a CONNECT to the platform or to an app (protocol notes, 3.2).
    ///
    /// - Returns: Whether the connection stands now; one to an unknown end, of an unknown type, or beyond what a channel
    ///   may hold does not, and is to be answered with CLOSE. And what to do, after the owner's own CONNECTED if any.
    mutating func connect(
        _ message: CastMessage, payload: ConnectionPayload, from connection: ConnectionID, at now: NIODeadline
    ) -> (accepted: Bool, actions: [Action]) {
        let local = message.destination
        let virtual = VirtualConnection(local: local, peer: message.source)
        let wasConnected = self.isSenderConnected
        guard let kind = payload.connectionType, Self.isUsable(message.source),
            local == .platformReceiver || self.session(at: local) != nil,
            let isNew = self.senders.open(virtual, on: connection, kind: kind)
        else {
            // The CLOSE that follows ends what an earlier CONNECT had opened.
            let actions = self.disconnect(
                sender: message.source, transport: local, connection: connection, at: now)
            return (false, actions)
        }
        var actions: [Action] = []
        if isNew, kind != .invisible, local != .platformReceiver,
            let status = self.application?.player?.statusForNewSender(at: now)
        {
            let requester = Requester(connection: connection, sender: message.source, local: local)
            actions.append(self.send(.json(status), in: .media, to: requester))
        }
        actions += self.senderConnectedChanged(since: wasConnected, at: now)
        return (true, actions)
    }

    /// Takes a sender's CLOSE; the app runs on (protocol notes, 3.4).
    mutating func disconnect(
        sender: EndpointID, transport: EndpointID, connection: ConnectionID, at now: NIODeadline
    ) -> [Action] {
        let wasConnected = self.isSenderConnected
        self.senders.close(VirtualConnection(local: transport, peer: sender), on: connection)
        self.pendingLaunch?.waiters.removeAll {
            $0.requester == Requester(connection: connection, sender: sender, local: transport)
        }
        return self.senderConnectedChanged(since: wasConnected, at: now)
    }

    /// Takes the end of a channel, which closes all its virtual connections (protocol notes, 3.4).
    mutating func connectionLost(_ connection: ConnectionID, at now: NIODeadline) -> [Action] {
        let wasConnected = self.isSenderConnected
        self.senders.closeAll(on: connection)
        self.pendingLaunch?.waiters.removeAll { $0.requester.connection == connection }
        return self.senderConnectedChanged(since: wasConnected, at: now)
    }

    // MARK: Messages and time

    /// Takes any message but those of the connection, heartbeat and authentication namespaces.
    ///
    /// One to an end that does not exist is answered with CLOSE, as devices do after an app has gone.
    mutating func handle(_ message: CastMessage, from connection: ConnectionID, at now: NIODeadline) -> [Action] {
        guard Self.isUsable(message.source), !message.namespace.isTransport else { return [] }
        let isBroadcast = message.destination == .broadcast
        let local = isBroadcast ? .platformReceiver : message.destination
        let requester = Requester(connection: connection, sender: message.source, local: local)
        guard local == .platformReceiver || self.session(at: local) != nil else {
            return [self.send(ConnectionPayload.close().payload, in: .connection, to: requester)]
        }
        guard let json = message.payload.jsonObject else { return [] }
        var actions =
            local == .platformReceiver
            ? self.handlePlatform(json, in: message.namespace, from: requester, at: now)
            : self.handleApplication(json, in: message.namespace, from: requester, at: now)
        actions += self.checkIdle(at: now)
        return actions
    }

    /// Does what is due at an instant; what is not due stays.
    mutating func timerFired(at now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        if let launch = self.pendingLaunch, launch.deadline <= now { actions += self.finishLaunch(at: now) }
        if let due = self.application?.player?.nextDeadline, due <= now {
            let wanted = self.application?.player?.timerFired(at: now) ?? []
            actions += self.perform(wanted, asker: nil)
        }
        return actions + self.checkIdle(at: now)
    }

    // MARK: Parts that the other files use

    func send(_ payload: CastMessage.Payload, in namespace: Namespace, to requester: Requester) -> Action {
        .send(
            CastMessage(
                source: requester.local, destination: requester.sender, namespace: namespace, payload: payload),
            to: requester.connection)
    }

    /// The answer to a request that cannot be served; nothing for a message that expects no answer.
    func refuse(
        _ requestID: RequestID?, _ reason: InvalidRequest.Reason, in namespace: Namespace, to requester: Requester
    ) -> [Action] {
        guard let requestID else { return [] }
        var refusal = InvalidRequest(reason, requestID: requestID)
        // Senders of this namespace look for their id under either name.
        if namespace == .setup { refusal.json["request_id"] = requestID.json }
        return [self.send(refusal.payload, in: namespace, to: requester)]
    }

    /// The id that an answer has to carry; nil when none is expected, or when it is longer than any sender's.
    static func requestID(of json: JSONObject, in namespace: Namespace = .receiver) -> RequestID? {
        let id = namespace == .setup ? SetupPayload(json: json).requestID : RequestID(json: json["requestId"])
        guard let id else { return nil }
        return id.description.utf8.count <= Self.maximumIDLength ? id : nil
    }

    func newID() -> String { self.makeID() }

    private static func isUsable(_ sender: EndpointID) -> Bool {
        sender != .broadcast && (1...Self.maximumIDLength).contains(sender.rawValue.utf8.count)
    }
}

/// Messages in which the receiver describes itself.
extension ReceiverPlatform {
    /// True while the app sees a sender.
    var isSenderConnected: Bool {
        self.application.map { self.senders.hasVisible(at: $0.facts.transportID) } ?? false
    }

    /// The receiver's status; devices without a screen leave out what only a screen has (protocol notes, 5.2).
    var status: ReceiverStatus {
        let hasScreen = self.description.hasScreen
        return ReceiverStatus(
            application: self.application?.payload(senderConnected: self.isSenderConnected),
            volume: self.volume.payload, isActiveInput: hasScreen ? self.screen.isActiveInput : nil,
            isStandBy: hasScreen ? self.screen.isStandby : nil)
    }

    /// The status for every sender, sent after each change.
    var statusBroadcast: Action {
        .broadcast(
            CastMessage(
                source: .platformReceiver, destination: .broadcast, namespace: .receiver,
                payload: ReceiverStatusPayload(self.status).payload))
    }

    /// The status as the answer to a request; nothing for a message that expects no answer.
    func statusReply(_ requestID: RequestID?, to requester: Requester) -> [Action] {
        guard let requestID else { return [] }
        let payload = ReceiverStatusPayload(self.status, requestID: requestID).payload
        return [self.send(payload, in: .receiver, to: requester)]
    }

    /// Announces that the app's first sender has come or its last one has gone, and checks the idle time.
    mutating func senderConnectedChanged(since wasConnected: Bool, at now: NIODeadline) -> [Action] {
        let actions = wasConnected == self.isSenderConnected ? [] : [self.statusBroadcast]
        return actions + self.checkIdle(at: now)
    }
}

/// Another configuration while the receiver is on.
extension ReceiverPlatform {
    /// Takes another configuration. The app that runs goes on as it was launched, also when it is not offered any more.
    mutating func reconfigure(
        _ configuration: ReceiverConfiguration, description: any DeviceDescription, at now: NIODeadline
    ) -> [Action] {
        let before = ReceiverStatusPayload(self.status).payload
        let isNewVolume = self.configuration.volume != configuration.volume
        if isNewVolume {
            // A level that was not changed in the file is the senders' to keep.
            let keepsLevel = self.configuration.volume.level == configuration.volume.level
            self.volume = DeviceVolume(configuration.volume, keeping: self.volume, keepsLevel: keepsLevel)
        }
        self.configuration = configuration
        self.description = description
        self.profiles = Self.profiles(of: configuration)
        var actions: [Action] = []
        if !configuration.showsIdleScreen, self.application?.isIdleScreen == true {
            actions += self.leaveApplication(.stopped)
        } else {
            _ = self.showIdleScreen()
        }
        if before != ReceiverStatusPayload(self.status).payload { actions.append(self.statusBroadcast) }
        return actions + self.checkIdle(at: now)
    }

    /// Ends everything, because something else takes the receiver's place.
    mutating func endEverything() -> [Action] {
        self.cancelLaunch() + self.leaveApplication(.replaced)
    }
}
