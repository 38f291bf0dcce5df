package import CastWire
package import GatewayCore
package import NIOCore

/// The built-in receiver as a target: tells ``ReceiverPlatform`` what happens and when, and does what it says.
final class LocalReceiver: DeviceTarget {
    private(set) var platform: ReceiverPlatform
    private let deviceName: String
    private let eventLoop: any EventLoop
    private let queues: (any QueueProviders)?
    private var output: (any SenderOutput)?
    private var timer: Scheduled<Void>?
    private var timerDeadline: NIODeadline?
    /// The time when the app that runs was started.
    private var started: (sessionID: String, at: NIODeadline)?
    private var playback = PlaybackSpan()
    /// The seat by which the receiver tells the others of its gateway of itself; nil when there are none.
    private let speakers: SpeakerSeat?
    /// Writes down what runs; nil when that is not to outlive the gateway.
    private let keeper: RecordKeeper?

    /// - Parameters:
    ///   - queues: answers what players ask about their queues; nil when they are asked in vain.
    ///   - groups: the gateway's speaker groups; nil when the receiver is alone.
    ///   - records: keeps what runs beyond the end of the gateway; nil when nothing does.
    init(
        platform: ReceiverPlatform, deviceName: String, eventLoop: any EventLoop, queues: (any QueueProviders)? = nil,
        groups: SpeakerGroups? = nil, records: (any ReceiverRecords)? = nil
    ) {
        self.keeper = records.map { RecordKeeper($0, device: deviceName, eventLoop: eventLoop) }
        self.queues = queues
        self.speakers = groups.map { SpeakerSeat($0, device: deviceName) }
        self.platform = platform
        self.deviceName = deviceName
        self.eventLoop = eventLoop
    }

    convenience init(
        configuration: ReceiverConfiguration, device: DeviceFacts, eventLoop: any EventLoop,
        queues: (any QueueProviders)? = nil, groups: SpeakerGroups? = nil, records: (any ReceiverRecords)? = nil
    ) {
        self.init(
            platform: ReceiverPlatform(
                configuration: configuration, description: device.description, makeID: SessionID.random),
            deviceName: device.name, eventLoop: eventLoop, queues: queues, groups: groups, records: records)
    }

    func start(output: any SenderOutput) {
        self.output = output
        self.goOn()
        self.schedule()
        guard let speakers else { return }
        let receiver = NIOLoopBound(self, eventLoop: self.eventLoop)
        let eventLoop = self.eventLoop
        speakers.take(self.platform) {
            // Never at once: another receiver is in the middle of what it does.
            eventLoop.execute { receiver.value.lookAtGroups() }
        }
    }

    func stop() {
        self.timer?.cancel()
        if self.output != nil { self.keeper?.end(self.platform.record(at: self.eventLoop.now)) }
        self.output = nil
        self.speakers?.leave()
    }

    func prepareForReplacement() {
        self.perform(self.platform.endEverything())
    }

    func announce() {
        self.perform([self.platform.statusBroadcast])
    }

    /// Takes another configuration; what runs goes on.
    func reconfigure(_ configuration: ReceiverConfiguration, device: DeviceFacts) {
        self.perform(
            self.platform.reconfigure(configuration, description: device.description, at: self.eventLoop.now))
        self.speakers?.reconfigure(self.platform)
        self.lookAtGroups()
        self.output?.flush()
    }

    func accepts(_ end: EndpointID) -> Bool {
        end == .platformReceiver || self.platform.session(at: end) != nil
    }

    func connect(_ message: CastMessage, from connection: ConnectionID) {
        guard let payload = ConnectionPayload(message.payload) else { return }
        let (accepted, actions) = self.platform.connect(
            message, payload: payload, from: connection, at: self.eventLoop.now)
        if !accepted {
            let pair = VirtualConnection(local: message.destination, peer: message.source)
            let close = message.reply(ConnectionPayload.close().payload)
            self.output?.closeVirtualConnection(pair, on: connection, message: close)
        }
        self.perform(actions)
    }

    func disconnect(_ message: CastMessage, from connection: ConnectionID) {
        self.perform(
            self.platform.disconnect(
                sender: message.source, transport: message.destination, connection: connection,
                at: self.eventLoop.now))
    }

    func connectionLost(_ connection: ConnectionID) {
        self.perform(self.platform.connectionLost(connection, at: self.eventLoop.now))
    }

    func receive(_ message: CastMessage, from connection: ConnectionID) {
        self.perform(self.platform.handle(message, from: connection, at: self.eventLoop.now))
    }

    func session(at transport: EndpointID) -> SessionFacts? {
        self.platform.session(at: transport)
    }

    var sessionCount: Int { self.platform.currentSession == nil ? 0 : 1 }

    var sessions: [SessionFacts] { self.platform.currentSession.map { [$0] } ?? [] }

    var running: RunningApps { self.platform.running }

    func media(at transport: EndpointID) -> JSONObject? {
        guard self.platform.session(at: transport) != nil else { return nil }
        return self.platform.application?.player?.currentStatus(at: self.eventLoop.now)
    }

    func times(of app: SessionFacts) -> AppTimes {
        guard self.platform.session(at: app.transportID) != nil else { return AppTimes() }
        let now = self.eventLoop.now
        return AppTimes(
            started: self.started?.sessionID == app.sessionID ? self.started?.at : nil, playback: self.playback.since,
            position: self.platform.application?.player?.session?.position(at: now))
    }

    var condition: ReceiverCondition? { ReceiverCondition(self.platform.status) }

    func simulate(_ event: SimulatedEvent) -> SimulationOutcome {
        let (outcome, actions) = self.platform.simulate(event, at: self.eventLoop.now)
        self.perform(actions)
        self.output?.flush()
        return outcome
    }

    /// Nothing waits here: what the platform says goes to the output at once.
    func flush() {}

    private func perform(_ actions: [ReceiverPlatform.Action]) {
        for action in actions {
            switch action {
            case .send(let message, let connection): self.output?.send(message, to: connection)
            case .broadcast(let message): self.output?.broadcast(message)
            case .closeVirtualConnections(let transport): self.output?.closeVirtualConnections(of: transport)
            case .sessionStarted(let session):
                self.started = (session.sessionID, self.eventLoop.now)
                self.output?.emit(.sessionStarted(device: self.deviceName, session: session))
            case .sessionEnded(let sessionID, let reason, let app):
                self.output?.emit(
                    .sessionEnded(device: self.deviceName, sessionID: sessionID, reason: reason, runningApp: app))
            case .tell(let change): self.output?.emit(.receiverChanged(device: self.deviceName, change))
            case .ask(let question, let plugin, let time, let token):
                self.ask(question, of: plugin, within: time, token)
            case .changeMembers(let order, let member): self.speakers?.change(order, only: member)
            }
        }
        // A player that changes its state says so.
        if !actions.isEmpty {
            self.notePlayback()
            self.speakers?.report(self.platform)
            self.keeper?.changed()
        }
        self.schedule()
    }

    /// Sees what has changed at other devices.
    private func lookAtGroups() {
        guard self.output != nil, let view = self.speakers?.look() else { return }
        self.perform(self.platform.look(at: view, at: self.eventLoop.now))
        self.output?.flush()
    }

    private func ask(_ question: QueueQuestion, of plugin: String, within time: Duration, _ token: Int) {
        var question = question
        question.device = self.deviceName
        let receiver = NIOLoopBound(self, eventLoop: self.eventLoop)
        let (eventLoop, session) = (self.eventLoop, question.session)
        let answered: @Sendable (JSONObject?) -> Void = { answer in
            // Never at once: the player is in the middle of what it does.
            eventLoop.execute { receiver.value.provided(token, in: session, answer) }
        }
        guard let queues else { return answered(nil) }
        queues.ask(question, of: plugin, within: time, answered: answered)
    }

    private func provided(_ token: Int, in session: String, _ answer: JSONObject?) {
        guard self.output != nil else { return }
        self.perform(self.platform.provided(token, in: session, answer, at: self.eventLoop.now))
        self.output?.flush()
    }

    /// Goes on with what ran when the gateway ended, and has what runs written down from now on.
    private func goOn() {
        guard let keeper else { return }
        let receiver = NIOLoopBound(self, eventLoop: self.eventLoop)
        guard let record = keeper.begin({ receiver.value.writeDown() }) else { return }
        self.perform(self.platform.restore(record, at: self.eventLoop.now))
    }

    /// Writes down what runs, for the next run of the gateway.
    private func writeDown() {
        self.keeper?.keep(
            self.platform.record(at: self.eventLoop.now),
            isPlaying: self.platform.application?.player?.session?.playerState == .playing)
    }

    private func notePlayback() {
        let session = self.platform.application?.player?.session
        self.playback.note(
            session: session?.id, state: session?.playerState.rawValue ?? "", item: session?.queue.current?.id,
            at: self.eventLoop.now)
    }

    /// Keeps one timer, at the platform's next deadline.
    private func schedule() {
        let deadline = self.platform.nextDeadline
        guard deadline != self.timerDeadline else { return }
        self.timer?.cancel()
        self.timerDeadline = deadline
        guard let deadline, self.output != nil else { return }
        let receiver = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.timer = self.eventLoop.scheduleTask(deadline: deadline) { receiver.value.timerFired() }
    }

    private func timerFired() {
        self.timerDeadline = nil
        self.perform(self.platform.timerFired(at: self.eventLoop.now))
        self.output?.flush()
    }
}

package struct LocalReceiverFactory: DeviceTargetFactory {
    private let configuration: ReceiverConfiguration
    private let queues: (any QueueProviders)?
    private let groups: SpeakerGroups?
    private let records: (any ReceiverRecords)?

    /// Makes a factory.
    /// - Parameters:
    ///   - queues: answers what players ask about their queues; nil when they are asked in vain.
    ///   - groups: the speaker groups of the gateway; nil when the receiver is in none and is none.
    ///   - records: keeps what runs beyond the end of the gateway; nil when nothing does.
    package init(
        _ configuration: ReceiverConfiguration, queues: (any QueueProviders)? = nil, groups: SpeakerGroups? = nil,
        records: (any ReceiverRecords)? = nil
    ) {
        self.records = records
        self.queues = queues
        self.groups = groups
        self.configuration = configuration
    }

    /// None: no real device stands behind it.
    package var deviceName: String? { nil }

    package var apps: [AppID] { self.configuration.availableApps.map { AppID(rawValue: $0.id) } }

    package func eventLoop(in group: any EventLoopGroup) -> any EventLoop { group.next() }

    /// Makes a receiver that is switched on.
    package func makeTarget(for device: DeviceFacts, on eventLoop: any EventLoop) -> any DeviceTarget {
        LocalReceiver(
            configuration: self.configuration, device: device, eventLoop: eventLoop, queues: self.queues,
            groups: self.groups, records: self.records)
    }

    /// Gives a receiver that runs this configuration; the app that runs goes on.
    package func reconfigure(
        _ target: any DeviceTarget, madeBy old: any DeviceTargetFactory, for device: DeviceFacts
    ) -> Bool {
        guard let receiver = target as? LocalReceiver else { return false }
        receiver.reconfigure(self.configuration, device: device)
        return true
    }
}

/// Ids for sessions: random UUIDs, as devices use them.
enum SessionID {
    @Sendable static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
