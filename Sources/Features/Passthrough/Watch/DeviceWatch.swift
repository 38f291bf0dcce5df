import CastWire
package import GatewayCore
package import Logging
package import NIOCore
import Synchronization

/// Looks after one device whose senders are passed through, by the gateway's own channel to it: listens to what its apps play, and
/// sees to the rules of the virtual device.
///
/// It speaks to the device as an internal sender of a virtual device that has the same name and no listener. What it hears
/// there, and what the events tell of senders and apps, goes to a ``WatchStateMachine`` in the order in which it came.
package final class DeviceWatch: Sendable {
    private enum Input: Sendable {
        case event(GatewayEvent)
        case status(ReceiverStatus)
        case stopAnswered(String)
        case volumeAnswered
        case rules(WatchRules)
        case timePassed
        /// An app is not listened to any more.
        case left(String)
    }

    /// The state of the device beside the machine.
    private struct State {
        var machine: WatchStateMachine
        /// The lines on apps and media for the log.
        var casting = PassedCastingLog()
        /// The sessions of apps that are listened to.
        var heard: Set<String> = []
        /// The number of times that listening to an app has begun.
        var attempts: [String: Int] = [:]
    }

    /// The sender that listens.
    static let listener = MessageOrigin("watch", from: .own)
    /// The time a device may take to answer.
    private static let patience = Duration.seconds(10)
    /// The number of statuses, and of events, that wait at most; the newest count.
    private static let waiting = 256
    /// The number of apps of one status that are looked at.
    private static let maximumApps = 16
    /// An app that closes the connection is connected to so often.
    private static let maximumAttempts = 3

    package let name: String
    private let target: String
    private let senders: any InternalSenders
    private let events: EventBus
    private let logger: Logger
    private let castingLog: Logger
    private let connected: @Sendable () async -> [SpliceOverview]
    private let isReachable: @Sendable () -> Bool
    private let stopper: AppStopper
    private let now: @Sendable () -> NIODeadline
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Mutex<State>
    private let inputs: AsyncStream<Input>
    private let input: AsyncStream<Input>.Continuation

    /// - Parameters:
    ///   - name: the virtual device's.
    ///   - target: the real device's, as events have it.
    ///   - senders: speak to it.
    ///   - events: tell of its senders and apps, and are told what is done.
    ///   - castingLog: logs which apps are started and what they play.
    ///   - connected: who is passed through now.
    ///   - isReachable: whether the real device answers for itself now.
    ///   - sleep: waits for so long.
    package init(
        name: String, target: String, rules: WatchRules, senders: any InternalSenders, events: EventBus, logger: Logger,
        castingLog: Logger, connected: @escaping @Sendable () async -> [SpliceOverview],
        isReachable: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> NIODeadline = { .now() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        var logger = logger
        logger[metadataKey: "device"] = "\(name)"
        var castingLog = castingLog
        castingLog[metadataKey: "device"] = "\(name)"
        self.name = name
        self.target = target
        self.senders = senders
        self.events = events
        self.logger = logger
        self.castingLog = castingLog
        self.connected = connected
        self.isReachable = isReachable
        self.stopper = AppStopper(senders) { _ in isReachable() }
        self.now = now
        self.sleep = sleep
        self.state = Mutex(State(machine: WatchStateMachine(rules)))
        (self.inputs, self.input) = AsyncStream.makeStream(
            of: Input.self, bufferingPolicy: .bufferingNewest(4 * Self.waiting))
    }

    package func follow(_ rules: WatchRules) { self.input.yield(.rules(rules)) }

    /// Looks after the device no more; ``run()`` returns.
    package func stop() { self.input.finish() }

    /// The sessions of apps that a sender started and that ran while an address was connected.
    package func sessions(beside address: String) -> Set<String> {
        self.state.withLock { $0.machine.sessions(beside: address) }
    }

    /// Looks after the device until ``stop()``, or until the task is cancelled.
    package func run() async {
        let feed = self.events.subscribe(limit: Self.waiting, seesMessages: false) { [name, target] in
            Self.tells($0, of: name, target)
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await event in feed.events {
                    guard case .mediaStatus(_, let transport, let status) = event else {
                        self.input.yield(.event(event))
                        continue
                    }
                    self.log { $0.casting.plays(status, at: transport, $0.machine.addresses, at: $1) }
                }
            }
            await self.begin()
            group.addTask { await self.listen() }
            var deadline: NIODeadline?
            var last: ReceiverStatus?
            for await input in self.inputs {
                for action in self.take(input) { group.addTask { await self.perform(action) } }
                switch input {
                case .status(let status):
                    last = status
                    self.hear(status, &group)
                case .rules: last.map { self.hear($0, &group) }
                default: break
                }
                let next = self.state.withLock { $0.machine.nextDeadline }
                if let next, deadline.map({ next < $0 || $0 <= self.now() }) ?? true {
                    deadline = next
                    group.addTask { await self.wake(at: next) }
                }
            }
            group.cancelAll()
        }
    }

    private static func tells(_ event: GatewayEvent, of name: String, _ target: String) -> Bool {
        switch event {
        case .senderConnected(let device, _, _), .senderDisconnected(let device, _, _, _),
            .mediaStatus(let device, _, _), .sessionStarted(let device, _), .sessionEnded(let device, _, _, _, _),
            .passed(let device, .closed):
            device == name
        case .deviceOnline(let device): device == target
        default: false
        }
    }

    /// Takes who is connected and what runs at first; what has happened since the events are read follows.
    private func begin() async {
        let isReachable = self.isReachable()
        let splices = await self.connected()
        let running = await self.senders.snapshot().sessions.filter { $0.device == self.name }.map(\.app)
        let now = self.now()
        self.state.withLock { state in
            _ = state.machine.handle(.found(running, isReachable: isReachable), at: now)
            for app in running { state.casting.found(app) }
            for splice in splices {
                _ = state.machine.handle(.connected(splice.connection, address: splice.address), at: now)
            }
        }
    }

    private func wake(at deadline: NIODeadline) async {
        let pause = deadline - self.now()
        do { try await self.sleep(.nanoseconds(max(0, pause.nanoseconds))) } catch { return }
        self.input.yield(.timePassed)
    }

    private func take(_ input: Input) -> [WatchStateMachine.Action] {
        guard let event = Self.event(input) else {
            if case .left(let session) = input { self.state.withLock { _ = $0.heard.remove(session) } }
            return []
        }
        let actions = self.state.withLock { $0.machine.handle(event, at: self.now()) }
        if case .started(let app) = event { self.log { $0.casting.started(app, $0.machine.addresses, at: $1) } }
        return actions
    }

    /// Logs what came of an event, if anything did.
    private func log(_ line: (inout State, NIODeadline) -> PassedCastingLog.Line?) {
        guard self.castingLog.logLevel <= .info else { return }
        let now = self.now()
        guard let line = self.state.withLock({ line(&$0, now) }) else { return }
        self.castingLog.log(level: line.level, "\(line.message.rawValue)", metadata: line.metadata)
    }

    private static func event(_ input: Input) -> WatchStateMachine.Event? {
        switch input {
        case .event(.senderConnected(_, let connection, let address)): .connected(connection, address: address)
        case .event(.senderDisconnected(_, let connection, _, _)): .disconnected(connection)
        case .event(.sessionStarted(_, let app)): .started(app)
        case .event(.sessionEnded(_, let session, _, _, _)): .ended(session: session)
        case .event(.deviceOnline): .reached
        case .event(.passed(_, .closed)): .hoursOver
        case .status(let status):
            .volume(status.volume?.controlType == .fixed ? nil : status.volume?.level)
        case .stopAnswered(let session): .stopAnswered(session: session)
        case .volumeAnswered: .volumeAnswered
        case .rules(let rules): .rules(rules)
        case .timePassed: .timePassed
        case .event, .left: nil
        }
    }

    // MARK: Listening

    /// Hears what the platform says, as long as the device has the name.
    private func listen() async {
        do throws(GatewayError) {
            let inbox = try await self.senders.listen(
                to: AppAddress(device: self.name), as: Self.listener, limit: Self.waiting)
            self.logger.info("The device is looked after", metadata: ["target": "\(self.target)"])
            let request = ReceiverRequest.getStatus(requestID: .spontaneous)
            if let status = try? await self.stopper.ask(request, of: self.name, as: Self.listener) {
                self.tell(ReceiverStatusPayload(status).payload, in: .receiver, of: .platformReceiver)
                self.input.yield(.status(status))
            }
            for await message in inbox.messages
            where message.message.source == .platformReceiver && message.message.namespace == .receiver {
                guard let status = ReceiverStatusPayload(message.message.payload)?.status else { continue }
                self.input.yield(.status(status))
            }
        } catch {
            self.logger.warning("The device cannot be looked after", metadata: ["reason": "\(error)"])
        }
    }

    /// Listens to the apps of a status that play media.
    private func hear(_ status: ReceiverStatus, _ group: inout DiscardingTaskGroup) {
        let apps = status.applications.prefix(Self.maximumApps).filter { !$0.isIdleScreen }
        let players = apps.filter { $0.namespaces.contains(.media) }.compactMap(\.sessionID)
        let new = self.state.withLock { state -> [String] in
            let running = Set(apps.compactMap(\.sessionID))
            state.attempts = state.attempts.filter { running.contains($0.key) }
            guard state.machine.rules.observesMedia else { return [] }
            let new = players.filter {
                !state.heard.contains($0) && state.attempts[$0, default: 0] < Self.maximumAttempts
            }
            for session in new {
                state.heard.insert(session)
                state.attempts[session, default: 0] += 1
            }
            return new
        }
        for session in new {
            group.addTask {
                await self.listen(toApp: session)
                self.input.yield(.left(session))
            }
        }
    }

    /// Listens to an app until it ends, or closes the connection: what it plays is known, and told by events, meanwhile.
    private func listen(toApp session: String) async {
        let address = AppAddress(device: self.name, session: session)
        guard let inbox = try? await self.senders.listen(to: address, as: Self.listener, limit: 1) else { return }
        await self.tellMedia(of: address)
        for await _ in inbox.messages {}
    }

    /// Asks an app what it plays. Its answer is for one sender alone, so it is told here.
    private func tellMedia(of address: AppAddress) async {
        let answer = try? await self.senders.send(
            .json(["type": "GET_STATUS"]), namespace: .media, to: address, as: Self.listener, wait: Self.patience)
        guard let json = answer?.jsonObject, json.string("type") == "MEDIA_STATUS" else { return }
        let app = await self.senders.snapshot().sessions.first {
            $0.device == self.name && $0.app.sessionID == address.session
        }
        if let transport = app?.app.transportID { self.tell(.json(json), in: .media, of: transport) }
    }

    /// Tells a status that the device told one sender alone, as if it were for all.
    private func tell(_ payload: CastMessage.Payload, in namespace: Namespace, of source: EndpointID) {
        let message = CastMessage(source: source, destination: .broadcast, namespace: namespace, payload: payload)
        let facts = DeviceFacts(name: self.name, target: self.target, description: SilentDescription())
        self.events.publishStatus(message, of: facts)
    }

    // MARK: Acting

    private func perform(_ action: WatchStateMachine.Action) async {
        switch action {
        case .stop(let app, let reason):
            await self.stop(app, reason)
            self.input.yield(.stopAnswered(app.sessionID))
        case .lowerVolume(let from, let to):
            await self.lowerVolume(from: from, to: to)
            self.input.yield(.volumeAnswered)
        case .pause(let rule):
            self.logger.warning(
                "The device is left alone for the moment, since something else goes against the rules again and again",
                metadata: ["rule": "\(rule.rawValue)"])
            self.events.publish(.passed(device: self.name, .rulePaused(rule)))
        }
    }

    private func stop(_ app: SessionFacts, _ reason: PassedAppStop) async {
        let metadata: Logger.Metadata = [
            "app": "\(app.appID)", "session": "\(app.sessionID)", "reason": "\(reason.rawValue)",
        ]
        do throws(GatewayError) {
            try await self.stopper.stop(app.sessionID, on: self.name)
            self.logger.notice("An app was stopped", metadata: metadata)
            self.events.publish(.passed(device: self.name, .appStopped(app, reason: reason)))
        } catch {
            self.logger.warning(
                "An app was not stopped; that is tried again",
                metadata: metadata.merging(["error": "\(error)"]) { $1 })
        }
    }

    private func lowerVolume(from level: Double, to most: Double) async {
        do throws(GatewayError) {
            let request = ReceiverRequest.setVolume(ReceiverVolume(level: most), requestID: .spontaneous)
            if let status = try await self.stopper.ask(request, of: self.name) { self.input.yield(.status(status)) }
            self.logger.notice(
                "The volume was lowered",
                metadata: ["volume": .stringConvertible(level), "max": .stringConvertible(most)])
            self.events.publish(.passed(device: self.name, .volumeLowered(from: level, to: most)))
        } catch {
            self.logger.warning(
                "The volume was not lowered", metadata: ["volume": .stringConvertible(level), "error": "\(error)"])
        }
    }
}
