import CastClient
import CastTransport
import CastWire
import CastwayTestSupport
import GRDB
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

/// Sessions over a real channel, with a device that says what the test tells it to.
@Suite(.timeLimit(.minutes(1))) struct CastSessionTests {
    /// A directory that runs, with the device `tv` in its configuration, and `radio` known to discovery alone.
    func with(
        _ behaviour: FakeDevice.Behaviour, sessions: SessionsConfiguration = SessionsConfiguration(),
        store: (any SessionRecordStore)? = nil, isConfigured: Bool = true,
        body: (DeviceSessionDirectory, FakeDevice, EventSubscription) async throws -> Void
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let device = try await FakeDevice(on: eventLoop, behaviour: behaviour)
        let address = DeviceAddress(host: "127.0.0.1", port: device.port)
        let bus = EventBus()
        let events = bus.subscribe()
        var connections = ConnectionsConfiguration()
        connections.reconnectInitial = .milliseconds(1)
        connections.reconnectMaximum = .milliseconds(20)
        let directory = try await DeviceSessionDirectory(
            devices: isConfigured ? ["tv": [address]] : [:], configuration: connections, sessions: sessions,
            events: bus, store: store, eventLoops: MultiThreadedEventLoopGroup.singleton, stopsApps: false,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        directory.update(device: "radio", candidates: [address], isAnnounced: true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await directory.run() }
            if isConfigured { for await event in events.events where event == .deviceOnline(target: "tv") { break } }
            do {
                try await body(directory, device, events)
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        try await device.stop()
    }

    func change(
        _ events: EventSubscription, where isMeant: (CastSessionChange) -> Bool = { _ in true }
    ) async -> CastSessionChange? {
        for await event in events.events {
            if case .castSession(_, let change) = event, isMeant(change) { return change }
        }
        return nil
    }

    @Test func anAppIsLaunchedJoinedAndLeft() async throws {
        try await self.with(.usual(.idle)) { directory, device, events in
            async let starting = directory.startSession(device: "tv", app: .defaultMediaReceiver)
            let launch = try #require(
                await device.events.next {
                    if case .message(_, let message) = $0, message.type == "LAUNCH" { message } else { nil }
                })
            #expect(launch.source == .platformSender)
            try await device.say(
                .status(.playing),
                launch.reply(ReceiverStatusPayload(.playing, requestID: launch.requestID ?? 0).payload))
            let session = try await starting
            #expect(try await session.facts.state == .connected)
            #expect(try await session.facts.sessionID == "session-1")
            let connect = await device.nextMessage()
            #expect(connect?.type == "CONNECT")
            #expect(connect?.destination == "web-1")
            #expect(await self.change(events) == .willStart)
            #expect(await self.change(events, where: { $0 == .didStart }) == .didStart)
            #expect(await directory.currentSession(device: "tv")?.number == session.number)

            // There is one session at a time.
            await #expect(throws: SessionFailure.self) {
                try await directory.startSession(device: "tv", app: "ABCD1234")
            }
            try await session.end(.leave)
            // The media client has asked how playback stands in between.
            let close = await device.events.next {
                if case .message(_, let message) = $0, message.type != "GET_STATUS" { message } else { nil }
            }
            #expect(close?.type == "CLOSE")
            #expect(close?.destination == "web-1")
            #expect(await self.change(events, where: { $0 == .didEnd(nil) }) != nil)
            #expect(await directory.currentSession(device: "tv") == nil)
            #expect(try await session.facts.state == .disconnected)
            #expect(directory.isOnline("tv"))
        }
    }

    /// The app of the session lists the namespace of media; its channel lives as long as the session can speak to the app.
    @Test func theChannelsOfASessionAreTold() async throws {
        try await self.with(.usual(.playing)) { directory, _, events in
            func next() async -> (AppChannel, AppChannelChange)? {
                for await event in events.events {
                    if case .channel(let channel, let change) = event { return (channel, change) }
                }
                return nil
            }
            directory.events.channels.follow([.exact(.media)], for: "channels")
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            let (channel, change) = try #require(await next())
            #expect(change == .connected)
            #expect(channel.owner == .session(session.number))
            #expect(channel.device == "tv" && channel.namespace == .media && channel.sessionID == "session-1")
            #expect(channel.isWritable)
            try await session.suspend()
            #expect(await next()?.1 == .disconnected(reason: "the session is suspended"))
            try await session.resume()
            #expect(await next()?.1 == .connected)
            try await session.end(.leave)
            #expect(await next()?.1 == .disconnected(reason: "the session is over, or the device is away"))
        }
    }

    @Test func aRefusalSaysWhy() async throws {
        try await self.with(.usual(.idle)) { directory, device, _ in
            async let starting = directory.startSession(device: "tv", app: "ABCD1234")
            let launch = try #require(
                await device.events.next {
                    if case .message(_, let message) = $0, message.type == "LAUNCH" { message } else { nil }
                })
            try await device.say(launch.reply(LaunchError(.notFound, requestID: launch.requestID ?? 0).payload))
            do {
                _ = try await starting
                Issue.record("it started")
            } catch {
                let failure = try #require(error as? SessionFailure)
                #expect(failure.code == .applicationNotFound)
                #expect(failure.reason == "NOT_FOUND")
            }
        }
    }

    @Test func whatHappensToMediaIsOnTheEventBus() async throws {
        try await self.with(.usual(.playing)) { directory, device, events in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            let status: JSONObject = [
                "mediaSessionId": 1, "playerState": "PLAYING", "media": ["contentId": "one"], "preloadedItemId": 2,
            ]
            let push: JSONObject = ["type": "MEDIA_STATUS", "requestId": 0, "status": [.object(status)]]
            try await device.say(CastMessage(source: "web-1", destination: "*", namespace: .media, json: push))
            var changes: [CastMediaChange] = []
            for await event in events.events {
                guard case .castMedia(let facts, let change) = event else { continue }
                #expect(facts.number == session.number)
                changes.append(change)
                if change == .status(status) { break }
            }
            #expect(
                changes == [
                    .started(mediaSessionID: 1), .metadata(["contentId": "one"]), .preload(itemID: 2), .status(status),
                ])
            #expect(changes.map(\.name).last == "media.session_status")
        }
    }

    @Test func aVolumeThatWaitsIsReplaced() async throws {
        try await self.with(.usual(.playing)) { directory, device, _ in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            async let first: Void = session.setVolume(0.2)
            let one = try #require(await self.volume(device))
            async let muted = directory.ask(
                ["type": "SET_VOLUME", "volume": ["muted": true]], in: .receiver, of: "tv", replacing: "muted")
            let mute = try #require(await self.volume(device))
            async let second: Void = session.setVolume(0.4)
            let two = try #require(await self.volume(device))
            #expect(ReceiverRequest(two.payload)?.volume?.level == 0.4)
            do {
                try await first
                Issue.record("it was not replaced")
            } catch {
                #expect((error as? SessionFailure)?.code == .replaced)
            }
            for request in [mute, two, one] {
                try await device.say(
                    request.reply(ReceiverStatusPayload(.playing, requestID: request.requestID ?? 0).payload))
            }
            _ = try await muted
            try await second
        }
    }

    private func volume(_ device: FakeDevice) async -> CastMessage? {
        await device.events.next {
            if case .message(_, let message) = $0, message.type == "SET_VOLUME" { message } else { nil }
        }
    }

    /// The next message about members of a group.
    private func question(_ device: FakeDevice) async -> CastMessage? {
        await device.events.next {
            if case .message(_, let message) = $0, message.namespace == .multizone { message } else { nil }
        }
    }

    /// Of quick steps the device gets the first and the newest, and callers hear nothing of the levels on the way.
    @Test func quickStepsOfAVolumeAreJoined() async throws {
        try await self.with(.usual(.playing)) { directory, device, events in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            async let first: Void = session.setVolume(0.1)
            let one = try #require(await self.volume(device))
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for step in 2...8 {
                    group.addTask { (try? await session.setVolume(Double(step) / 10)) != nil }
                }
                // All but one end before the device has answered.
                for _ in 2...7 { #expect(await group.next() == false) }
                func status(_ request: CastMessage) -> CastMessage {
                    let level = ReceiverRequest(request.payload)?.volume?.level
                    var status = ReceiverStatus.playing
                    status.volume = ReceiverVolume(level: level, muted: false)
                    return request.reply(ReceiverStatusPayload(status, requestID: request.requestID ?? 0).payload)
                }
                try? await device.say(status(one))
                if let two = await self.volume(device) { try? await device.say(status(two)) }
                return await group.next()
            }
            #expect(outcomes == true)
            _ = try? await first
            let told = await self.change(events) { if case .volume = $0 { true } else { false } }
            guard case .volume(let level, _)? = told else {
                Issue.record("nothing was told")
                return
            }
            #expect(level ?? 0 > 0.15)
        }
    }

    @Test func aMembersVolumeIsSetAndToldOf() async throws {
        try await self.with(.usual(.playing)) { directory, device, events in
            _ = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            let kitchen = MultizoneDevice(
                deviceID: "k", name: "Kitchen", capabilities: 4, volume: ReceiverVolume(level: 0.1, muted: false))
            // The session asks for the members by itself; this device does not answer it.
            let first = try #require(await self.question(device))
            #expect(first.type == "GET_STATUS")
            async let members = directory.ask(["type": "GET_STATUS"], in: .multizone, of: "tv")
            let question = try #require(await self.question(device))
            try await device.say(
                question.reply(MultizonePayload.status(devices: [kitchen], requestID: question.requestID ?? 0).payload))
            #expect(MultizonePayload(json: try await members).devices == [kitchen])
            #expect(await self.change(events, where: { $0 == .members([kitchen]) }) != nil)
            async let setting = directory.ask(
                ["type": "SET_DEVICE_VOLUME", "deviceId": "k", "volume": ["level": 0.7]], in: .multizone, of: "tv")
            let request = try #require(
                await device.events.next {
                    if case .message(_, let message) = $0, message.namespace == .multizone { message } else { nil }
                })
            #expect(request.type == "SET_DEVICE_VOLUME")
            #expect(request.payload.jsonObject?.string("deviceId") == "k")
            var loud = kitchen
            loud.json["volume"] = ["level": 0.7, "muted": false]
            try await device.say(
                CastMessage(
                    source: .platformReceiver, destination: .broadcast, namespace: .multizone,
                    payload: MultizonePayload.deviceUpdated(loud).payload),
                request.reply(json: ["type": "MULTIZONE_STATUS", "requestId": request.requestID?.json ?? 0]))
            _ = try await setting
            #expect(await self.change(events, where: { $0 == .members([loud]) }) != nil)
        }
    }

    @Test func aLossIsMendedWithoutAWord() async throws {
        try await self.with(.usual(.playing)) { directory, device, events in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            _ = await device.events.next {
                if case .message(0, let message) = $0, message.destination == "web-1" { true } else { nil }
            }
            try await device.hangUp()
            let connect = await device.events.next {
                if case .message(1, let message) = $0, message.destination == "web-1" { message } else { nil }
            }
            #expect(connect?.type == "CONNECT")
            #expect(try await session.facts.state == .connected)
            try await session.end()
            var told: [CastSessionChange] = []
            while told.last != .didEnd(nil) { told.append(try #require(await self.change(events))) }
            #expect(told == [.willStart, .didStart, .willEnd(.leave), .didEnd(nil)])
        }
    }

    @Test func suspendedSessionsAreToldOfAndResumed() async throws {
        let sessions = SessionsConfiguration { $0.suspendAfter = .zero }
        try await self.with(.usual(.playing), sessions: sessions) { directory, device, events in
            _ = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            try await device.hangUp()
            var told: [CastSessionChange] = []
            while told.last != .didResume(.network) { told.append(try #require(await self.change(events))) }
            #expect(
                told == [
                    .willStart, .didStart, .didSuspend(.networkError), .willResume(.network), .didResume(.network),
                ])
        }
    }

    @Test func aDeviceThatOnlyDiscoveryKnowsIsKeptAsLongAsItsSession() async throws {
        try await self.with(.usual(.playing), isConfigured: false) { directory, device, _ in
            await #expect(throws: SessionFailure.self) {
                try await directory.startSession(device: "nowhere", app: .defaultMediaReceiver)
            }
            let session = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            #expect(directory.isOnline("radio"))
            try await session.end(.disconnect)
            let closed = await device.events.next { if case .closed(0) = $0 { true } else { nil } }
            #expect(closed == true)
            #expect(directory.eventLoop(for: "radio") == nil)
        }
    }

    /// A gateway that ends writes its session down; the next one takes it up, and launches nothing.
    @Test(arguments: [true, false])
    func anotherRunTakesTheSessionUp(isConfigured: Bool) async throws {
        let name = isConfigured ? "tv" : "radio"
        let store = try SessionStore(database: try DatabaseQueue(), logger: LogRecorder().logger())
        try await self.with(.usual(.playing), store: store, isConfigured: isConfigured) { directory, device, _ in
            _ = try await directory.startSession(device: name, app: .defaultMediaReceiver)
        }
        #expect(try store.load().map(\.suspendReason) == [.appTerminated])
        try await self.with(.usual(.playing), store: store, isConfigured: isConfigured) { directory, device, events in
            // It was at another port, so for a moment no address is known.
            let first = await self.change(events) { $0 != .didSuspend(.appTerminated) }
            #expect(first == .willResume(.restart))
            #expect(await self.change(events) == .didResume(.restart))
            let heard = await device.events.next {
                if case .message(_, let message) = $0, message.destination == "web-1" || message.type == "LAUNCH" {
                    message.type
                } else {
                    nil
                }
            }
            #expect(heard == "CONNECT")
            try await directory.currentSession(device: name)?.end()
        }
        await store.settle()
        #expect(try store.load().isEmpty)
    }

    /// Readers of events learn of the session, however long its device stays away.
    @Test func aSessionWhoseDeviceIsAwayIsToldAsSuspended() async throws {
        let store = try SessionStore(database: try DatabaseQueue(), logger: LogRecorder().logger())
        try await self.with(.usual(.playing), store: store, isConfigured: false) { directory, _, _ in
            _ = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
        }
        try await self.with(.mute, store: store, isConfigured: false) { _, _, events in
            #expect(await self.change(events) == .didSuspend(.appTerminated))
        }
    }

    @Test func whatDoesNotRunAnyMoreEndsWithAnEvent() async throws {
        let store = try SessionStore(database: try DatabaseQueue(), logger: LogRecorder().logger())
        try await self.with(.usual(.playing), store: store) { directory, _, _ in
            _ = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
        }
        try await self.with(.usual(.idle), store: store) { _, _, events in
            let ended = await self.change(events) { if case .didEnd = $0 { true } else { false } }
            guard case .didEnd(let failure) = ended else { return }
            #expect(failure?.code == .applicationNotRunning)
        }
        await store.settle()
        #expect(try store.load().isEmpty)
    }
}
