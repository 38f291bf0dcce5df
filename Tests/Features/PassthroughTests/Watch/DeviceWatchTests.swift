import CastWire
import CastwayTestSupport
import GatewayCore
import Logging
import NIOCore
import Synchronization
import Testing

@testable import Passthrough

/// The gateway's own side of a device whose senders are passed through, with a device that answers as it is told.
@Suite(.timeLimit(.minutes(1))) struct DeviceWatchTests {
    /// A real device, as internal senders see it.
    private final class Device: InternalSenders {
        private struct State {
            var app: SessionFacts?
            var level = 0.3
            var platform: SenderInbox.Input?
            var apps: [String: SenderInbox.Input] = [:]
        }

        private let state = Mutex(State())
        /// What it is asked: `STOP s-1 rules`.
        let asked = Inbox<String>()

        /// What it says of itself.
        private func status(_ state: State) -> String {
            let app = state.app.map {
                """
                {"appId":"\($0.appID.rawValue)","sessionId":"\($0.sessionID)","transportId":"\($0.transportID.rawValue)",\
                "displayName":"An app","namespaces":[{"name":"urn:x-cast:com.google.cast.media"}]}
                """
            }
            return """
                {"type":"RECEIVER_STATUS","requestId":0,"status":{"applications":[\(app ?? "")],\
                "volume":{"controlType":"attenuation","level":\(state.level),"muted":false}}}
                """
        }

        /// Lets something happen at the device, which tells it to all.
        func change(_ app: SessionFacts?, level: Double) {
            self.state.withLock { state in
                if let old = state.app, old.sessionID != app?.sessionID { state.apps[old.sessionID]?.finish() }
                (state.app, state.level) = (app, level)
                self.tell(state)
            }
        }

        private func tell(_ state: State) {
            let message = CastMessage(
                source: .platformReceiver, destination: .broadcast, namespace: .receiver,
                payload: .text(self.status(state)))
            state.platform?.yield(SenderInbox.Message(device: "room", session: nil, message: message))
        }

        func snapshot() async -> GatewaySnapshot {
            let app = self.state.withLock { $0.app }
            return GatewaySnapshot(
                devices: [], sessions: app.map { [GatewaySnapshot.Session(device: "room", app: $0, media: nil)] } ?? [])
        }

        func send(
            _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
            wait: Duration?
        ) async throws(GatewayError) -> CastMessage.Payload? {
            let json = payload.jsonObject ?? [:]
            let type = json.string("type") ?? ""
            if namespace == .media {
                self.asked.put("\(type) \(app.session ?? "") \(sender.name)")
                return .text(
                    #"{"type":"MEDIA_STATUS","requestId":1,"status":[{"mediaSessionId":7,"playerState":"PLAYING"}]}"#)
            }
            let answer = self.state.withLock { state -> String in
                if type == "STOP", json.string("sessionId") == state.app?.sessionID {
                    state.apps[state.app?.sessionID ?? ""]?.finish()
                    state.app = nil
                }
                if let level = json.object("volume")?.double("level") { state.level = level }
                return self.status(state)
            }
            self.asked.put("\(type) \(json.string("sessionId") ?? "") \(sender.name)")
            return .text(answer)
        }

        func broadcast(
            _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin
        ) async throws(GatewayError) {}

        func listen(to app: AppAddress, as sender: MessageOrigin, limit: Int) async throws(GatewayError) -> SenderInbox
        {
            let (inbox, input) = SenderInbox.make(limit: limit)
            self.state.withLock { state in
                if let session = app.session { state.apps[session] = input } else { state.platform = input }
            }
            return inbox
        }
    }

    private static let game = SessionFacts(
        appID: "AAAA0001", sessionID: "s-2", transportID: "web-2", displayName: "An app", namespaces: [.media])

    /// A watch that runs as long as `body` does, once the device has been asked for its status.
    private static func with(
        log: LogRecorder = LogRecorder(), _ change: (inout WatchRules) -> Void,
        body: (Device, EventBus, DeviceWatch, EventSubscription) async throws -> Void
    ) async throws {
        var rules = WatchRules()
        change(&rules)
        let (device, events) = (Device(), EventBus())
        let told = events.subscribe { event in
            switch event {
            case .passed, .mediaStatus: true
            default: false
            }
        }
        let watch = DeviceWatch(
            name: "room", target: "tv", rules: rules, senders: device, events: events,
            logger: LogRecorder().logger(), castingLog: log.logger("CastingLog"), connected: { [] })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch.run() }
            let first = await device.asked.next { $0 }
            #expect(first == "GET_STATUS  watch")
            try await body(device, events, watch, told)
            watch.stop()
            try await group.waitForAll()
        }
    }

    private static func connect(_ events: EventBus) {
        events.publish(.senderConnected(device: "room", connection: ConnectionID(rawValue: 1), address: "10.20.0.7"))
    }

    private static func start(_ app: SessionFacts, on device: Device, _ events: EventBus) {
        device.change(app, level: 0.3)
        events.publish(.sessionStarted(device: "room", session: app))
    }

    @Test func anAppThatIsNotAllowedIsStoppedByItsSession() async throws {
        let log = LogRecorder()
        try await Self.with(log: log) {
            $0.allowedApps = ["CC1AD845"]
            $0.observesMedia = false
        } body: { device, events, watch, told in
            Self.connect(events)
            Self.start(Self.game, on: device, events)
            let asked = await device.asked.next { $0 }
            #expect(asked == "STOP s-2 rules")
            let line = try #require(log.entries.first { $0.message == "Launch" })
            #expect(line.metadata["address"] == "10.20.0.7" && line.metadata["app"] == "AAAA0001")
            for await event in told.events {
                #expect(event == .passed(device: "room", .appStopped(Self.game, reason: .notAllowed)))
                break
            }
            #expect(watch.sessions(beside: "10.20.0.7") == ["s-2"])
            #expect(watch.sessions(beside: "10.20.0.8") == [])
        }
    }

    @Test func eventsOfOtherDevicesAreNotTakenForItsOwn() async throws {
        try await Self.with {
            $0.allowedApps = []
            $0.observesMedia = false
        } body: { device, events, _, _ in
            events.publish(
                .senderConnected(device: "hall", connection: ConnectionID(rawValue: 1), address: "10.20.0.7"))
            events.publish(.sessionStarted(device: "room", session: Self.game))
            Self.connect(events)
            let film = SessionFacts(
                appID: "CC1AD845", sessionID: "s-1", transportID: "web-1", displayName: "", namespaces: [])
            Self.start(film, on: device, events)
            // What ran before a sender came is let be, so this is the first.
            let asked = await device.asked.next { $0 }
            #expect(asked == "STOP s-1 rules")
        }
    }

    @Test func whatAnAppPlaysIsAskedAndTold() async throws {
        try await Self.with {
            $0.maximumVolume = 0.6
        } body: { device, events, _, told in
            Self.connect(events)
            Self.start(Self.game, on: device, events)
            let asked = await device.asked.next { $0 }
            #expect(asked == "GET_STATUS s-2 watch")
            for await event in told.events {
                guard case .mediaStatus(let name, let transport, let status) = event else { continue }
                #expect(name == "room" && transport == "web-2")
                #expect(status.string("playerState") == "PLAYING")
                break
            }
            // The same app is not joined twice: what follows the two statuses with it is about the volume. The next app is joined.
            device.change(Self.game, level: 0.9)
            let lowered = await device.asked.next { $0 }
            #expect(lowered == "SET_VOLUME  rules")
            for await event in told.events {
                if case .passed(_, .volumeLowered) = event { break }
            }
            let next = SessionFacts(
                appID: "CC1AD845", sessionID: "s-3", transportID: "web-3", displayName: "", namespaces: [.media])
            Self.start(next, on: device, events)
            let again = await device.asked.next { $0 }
            #expect(again == "GET_STATUS s-3 watch")
        }
    }

    @Test func anAppIsListenedToOnceTheRulesSaySo() async throws {
        try await Self.with {
            $0.observesMedia = false
        } body: { device, events, watch, _ in
            Self.start(Self.game, on: device, events)
            watch.follow(WatchRules())
            let asked = await device.asked.next { $0 }
            #expect(asked == "GET_STATUS s-2 watch")
        }
    }

    @Test func theVolumeIsSetBackAndRulesChange() async throws {
        try await Self.with {
            $0.observesMedia = false
        } body: { device, events, watch, told in
            Self.connect(events)
            device.change(nil, level: 0.9)
            var rules = WatchRules()
            rules.maximumVolume = 0.6
            rules.observesMedia = false
            watch.follow(rules)
            let asked = await device.asked.next { $0 }
            #expect(asked == "SET_VOLUME  rules")
            for await event in told.events {
                #expect(event == .passed(device: "room", .volumeLowered(from: 0.9, to: 0.6)))
                break
            }
        }
    }

    @Test func theEndOfTheHoursStopsWhatSendersStarted() async throws {
        try await Self.with {
            $0.stopsAtEnd = true
            $0.observesMedia = false
        } body: { device, events, _, told in
            Self.connect(events)
            Self.start(Self.game, on: device, events)
            events.publish(.passed(device: "room", .closed))
            let asked = await device.asked.next { $0 }
            #expect(asked == "STOP s-2 rules")
            for await event in told.events {
                guard case .passed(_, .appStopped) = event else { continue }
                #expect(event == .passed(device: "room", .appStopped(Self.game, reason: .outsideHours)))
                break
            }
        }
    }
}
