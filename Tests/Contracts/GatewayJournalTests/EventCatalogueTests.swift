import CastWire
import GatewayCore
import GatewayOperations
import NIOCore
import Testing

@testable import GatewayJournal

/// The catalogue says what events there are and what they say: compared with each event as it is encoded.
@Suite struct EventCatalogueTests {
    private static let session = CastSessionFacts(
        number: 3, device: "wall", appID: "CC1AD845", state: .connected, suspendReason: .networkError,
        app: ReceiverApplication(
            appID: "CC1AD845", displayName: "Player", sessionID: "s", transportID: "t", namespaces: [.media]))
    private static let bare = CastSessionFacts(number: 4, device: "wall", appID: "CC1AD845", state: .connecting)
    private static let device: JSONObject = ["uniqueId": "cast:u", "deviceId": "u", "friendlyName": "Wall"]
    private static let message = CastMessage(
        source: "a", destination: "b", namespace: "urn:x-cast:com.example", payload: .text("{\"a\":1}"))

    private static var facts: SenderFacts {
        var facts = SenderFacts()
        facts.model = "Pixel 9"
        facts.userAgent = "Mozilla/5.0"
        facts.platform = .android
        facts.systemVersion = "15"
        facts.sdk = 2
        facts.sdkVersion = "156.0.0.0"
        facts.connectionType = 1
        facts.launchURL = "https://example.com/app"
        return facts
    }

    private static let channel = AppChannel(
        owner: .session(3), device: "wall", app: "CC1AD845", sessionID: "s", namespace: "urn:x-cast:com.example",
        isWritable: true)

    private static let sessionChanges: [CastSessionChange] = [
        .willStart, .didStart, .didFailToStart(SessionFailure(.timeout, "late", reason: "NOT_FOUND", app: "ABCD1234")),
        .willResume(.network), .didResume(.restart), .didFailToResume(SessionFailure(.timeout, "late")),
        .didSuspend(.networkError), .willEnd(.stop), .didEnd(nil), .didEnd(SessionFailure(.disconnected, "gone")),
        .launchStatus(.pending), .deviceStatus("Playing"), .volume(level: 0.5, muted: nil),
        .volume(level: nil, muted: true),
        .activeInput(true), .activeInput(nil), .standby(false), .standby(nil), .appMetadata, .alreadyConnected,
        .members([
            MultizoneDevice(
                deviceID: "d", name: "Left", capabilities: 4, volume: ReceiverVolume(json: ["level": 0.5]))
        ]),
    ]

    private static let mediaChanges: [CastMediaChange] = [
        .status(["mediaSessionId": 1, "currentTime": 2.5, "playerState": "PLAYING", "playbackRate": 1]), .status(nil),
        .metadata(["contentId": "x"]), .metadata(nil), .started(mediaSessionID: 1),
        .ended(mediaSessionID: 1, reason: nil),
        .ended(
            mediaSessionID: 1, reason: "FINISHED",
            last: LastPlayback(contentID: "a", title: "A", position: 3, playerState: "playing", autoplay: false)),
        .preload(itemID: 1), .preload(itemID: nil),
        .queue(
            itemIDs: [1, 2],
            changes: [
                CastQueueChange(.inserted, items: [1], indexes: [0], before: 2),
                CastQueueChange(.removed, items: [3], indexes: [1]),
            ]),
        .queue(itemIDs: [1], changes: [CastQueueChange(.reloaded)]),
        .queue(itemIDs: nil), .failed(code: .timeout, reason: "late"),
    ]

    /// At least one event of each case. A new case does not compile in `index(of:)` before it is here.
    private static let events: [GatewayEvent] =
        [
            .senderConnected(device: "hall", connection: ConnectionID(rawValue: 1), address: "192.0.2.1"),
            .senderIntroduced(
                device: "hall", connection: ConnectionID(rawValue: 1), address: "192.0.2.1", facts: SenderFacts()),
            .senderIntroduced(
                device: "hall", connection: ConnectionID(rawValue: 1), address: "192.0.2.1", facts: Self.facts),
            .senderDisconnected(device: "hall", connection: ConnectionID(rawValue: 1), reason: "closed"),
            .receiverChanged(device: "hall", .volume(level: 0.5, muted: nil)),
            .receiverChanged(device: "hall", .standby(true)), .receiverChanged(device: "hall", .visibility(false)),
            .receiverChanged(device: "hall", .maximumResolution(width: 1920, height: 1080)),
            .receiverChanged(device: "hall", .feedback),
            .senderRefused(device: "hall", address: "192.0.2.1", reason: "full", count: 2),
            .senderThrottled(device: "hall", address: "192.0.2.1", count: 2),
            .sessionStarted(
                device: "hall",
                session: SessionFacts(
                    appID: "CC1AD845", sessionID: "s", transportID: "t", displayName: "Player", namespaces: [.media])),
            .sessionEnded(device: "hall", sessionID: "s", reason: "stopped"),
            .receiverStatus(device: "hall", status: ["volume": ["level": 1]]),
            .mediaStatus(device: "hall", transportID: "t", status: ["mediaSessionId": 1, "currentTime": 0]),
            .channelMessage(device: "hall", message: Self.message, direction: .toSender),
            .channel(Self.channel, .connected), .channel(Self.channel, .writable),
            .channel(Self.channel, .disconnected(reason: "gone")),
            .messageRejected(device: "hall", handler: "rules", reason: "NOT_ALLOWED"),
            .handlerSuspended(device: "hall", handler: "quiz"),
            .deviceOnline(target: "wall"), .deviceOffline(target: "wall", reason: "lost"),
            .deviceStatus(target: "wall", status: ["volume": ["level": 1]]), .deviceReleased(target: "wall"),
            .deviceVerified(target: "wall", commonName: "x", isAudioOnly: false),
            .deviceNotVerified(target: "wall", code: .tlsError, reason: "bad", isRefused: true),
            .discoveryStarted(category: "cast"), .discoveryStopped(category: "cast"),
            .discoveryBlocked(category: "cast", reason: "no daemon"), .deviceListWillUpdate,
            .deviceInserted(device: Self.device, index: 0), .deviceUpdated(device: Self.device, index: 0, newIndex: 1),
            .deviceRemoved(device: Self.device, index: 1), .deviceListDidUpdate(count: 0),
            .launchChanged(keys: ["language"]), .launchChanged(keys: ["language"], category: .cast),
            .castState(.notConnected, previous: nil),
            .castState(.connected, previous: .connecting),
            .credentialsPending(app: "CC1AD845"), .credentialsPending(app: nil),
            .configurationReloaded(changes: ["log.level"]), .reloadFailed(reason: "no"),
            .plugin(name: "quiz", .ready(version: "1")), .plugin(name: "quiz", .degraded(reason: "slow")),
            .plugin(name: "quiz", .degraded(reason: nil)), .plugin(name: "quiz", .crashed(reason: "x", lines: ["y"])),
            .plugin(name: "quiz", .crashlooped(reason: "x")), .plugin(name: "quiz", .stopped(reason: "x")),
            .plugin(name: "quiz", .removed), .bridge(name: "mqtt", .up), .bridge(name: "mqtt", .down(reason: "x")),
            .bridge(name: "webhook:a", .disabled(reason: "410")), .bridge(name: "mqtt", .overflow(count: 3)),
            .catalogue(name: "films", .read(items: 3)),
            .catalogue(name: "films", .failed(code: "http_status", reason: "x", status: 404)),
            .bridge(name: "app", .deadLetter(id: "msg_1", type: "t", device: "hall", reason: "x")),
            .join(.codeCreated(code: "j-1", name: "guest", devices: ["hall"], by: "admin")),
            .join(.codeRevoked(code: "j-1", name: "guest", by: "admin")),
            .join(.codeExhausted(code: "j-1", name: "guest", attempts: 200)),
            .join(.codeRedeemed(code: "j-1", guest: "g-1", name: "guest", devices: ["hall"], address: "192.0.2.7")),
            .join(.codeRedeemed(code: "j-1", guest: "g-1", name: "guest", devices: ["hall"], address: nil)),
            .join(.guestLeft(guest: "g-1", name: "guest", devices: ["hall"], address: "192.0.2.7", reason: "over")),
            .virtualDeviceAdded(device: "hall"), .virtualDeviceRemoved(device: "hall"),
            .virtualDeviceDescribed(device: "hall", friendlyName: "Hall", model: "Chromecast"),
            .groupMember(device: "house", member: "hall", isMember: true),
            .groupMember(device: "house", member: "hall", isMember: false),
            .mirroring(device: "hall", .started(Self.stream(of: nil))),
            .mirroring(device: "hall", .started(Self.stream(of: Self.mirroringApp))),
            .mirroring(device: "hall", .ended(Self.stream(of: Self.mirroringApp), reason: .idle)),
            .mirroring(device: "hall", .refused(sender: nil, app: nil, reason: "no port")),
            .mirroring(device: "hall", .refused(sender: "192.0.2.7", app: Self.mirroringApp, reason: "x")),
            .passed(device: "hall", .opened), .passed(device: "hall", .closed),
            .passed(device: "hall", .appStopped(Self.mirroringApp, reason: .notAllowed)),
            .passed(device: "hall", .volumeLowered(from: 0.9, to: 0.6)),
            .passed(device: "hall", .rulePaused(.apps)),
            .request(id: "r-1", device: "hall", facts: ["state": "sent"]),
            .request(id: "r-2", device: nil, facts: [:]),
            .logRecord([
                "level": "info", "component": "Gateway", "message": "Up", "time": "2026-01-31T08:05:09.007Z",
                "fields": ["a": 1], "function": "run()", "location": "Gateway:1", "left_out": 2,
            ]), .custom(name: "quiz.round", data: [1, "two"]),
        ] + Self.sessionChanges.map { .castSession(Self.session, $0) } + [.castSession(Self.bare, .willStart)]
        + Self.mediaChanges.map { .castMedia(Self.session, $0) }

    private static let mirroringApp = SessionFacts(
        appID: "0F5096E8", sessionID: "s-1", transportID: "web-1", displayName: "Mirroring", namespaces: [])

    private static func stream(of app: SessionFacts?) -> MirroringStream {
        MirroringStream(
            connection: ConnectionID(rawValue: 3), sender: "192.0.2.7", app: app, address: "192.0.2.1", port: 40_000,
            devicePort: 50_000, since: .uptimeNanoseconds(0), packets: (5, 2), bytes: (500, 20),
            drops: ["foreign_address": 3])
    }

    /// The cases of an event, numbered without a hole.
    private static func index(of event: GatewayEvent) -> Int {
        switch event {
        case .senderConnected: 0
        case .senderDisconnected: 1
        case .senderRefused: 2
        case .senderThrottled: 3
        case .sessionStarted: 4
        case .sessionEnded: 5
        case .receiverStatus: 6
        case .mediaStatus: 7
        case .channelMessage: 8
        case .messageRejected: 9
        case .handlerSuspended: 10
        case .deviceOnline: 11
        case .deviceOffline: 12
        case .deviceVerified: 13
        case .deviceNotVerified: 14
        case .discoveryStarted: 15
        case .discoveryStopped: 16
        case .discoveryBlocked: 17
        case .deviceListWillUpdate: 18
        case .deviceInserted: 19
        case .deviceUpdated: 20
        case .deviceRemoved: 21
        case .deviceListDidUpdate: 22
        case .credentialsPending: 23
        case .configurationReloaded: 24
        case .reloadFailed: 25
        case .plugin: 26
        case .virtualDeviceAdded: 27
        case .virtualDeviceRemoved: 28
        case .request: 29
        case .custom: 30
        case .castSession: 31
        case .castMedia: 32
        case .deviceReleased: 33
        case .bridge: 34
        case .channel: 35
        case .logRecord: 36
        case .castState: 37
        case .launchChanged: 38
        case .join: 39
        case .senderIntroduced: 40
        case .receiverChanged: 41
        case .groupMember: 42
        case .catalogue: 43
        case .mirroring: 44
        case .passed: 45
        case .deviceStatus: 46
        case .virtualDeviceDescribed: 47
        }
    }

    /// What each event is on the wire.
    private func encoded() -> [(event: GatewayEvent, json: JSONObject)] {
        Self.events.compactMap { event in
            var encoder = EventEncoder(boot: "b1")
            let bytes = encoder.encode([.event(.event(event), .init(), at: 0)], at: .uptimeNanoseconds(0)).first?
                .bytes
            return bytes.flatMap { (try? JSONReader.read($0))?.objectValue }.map { (event, $0) }
        }
    }

    @Test func everyCaseIsHere() {
        let indices = Set(Self.events.map(Self.index))
        #expect(indices == Set(0...47))
    }

    @Test func everyEventIsDeclaredAndSaysWhatIsDeclared() throws {
        let encoded = self.encoded()
        #expect(encoded.count == Self.events.count)
        for (event, json) in encoded {
            var name = event.name
            if case .custom = event { name = EventCatalogue.custom.name }
            let declaration = try #require(EventCatalogue.named[name], "\(event.name)")
            #expect(json.string("type") == event.name)
            let data = try #require(json.object("data"))
            #expect(declaration.faults(of: data).isEmpty, "\(event.name): \(JSONValue.object(data).text)")
            #expect((json.int("rev") != nil) == (declaration.resource != nil), "\(event.name)")
            switch declaration.subject {
            case .gateway: #expect(json["device"] == nil, "\(event.name)")
            case .virtualDevice, .realDevice: #expect(json.string("device") != nil, "\(event.name)")
            case .any: break
            }
        }
    }

    @Test func everyDeclarationIsAnEvent() {
        let names = Set(Self.events.map(\.name)).union([EventCatalogue.custom.name])
        for declaration in EventCatalogue.all { #expect(names.contains(declaration.name), "\(declaration.name)") }
        #expect(EventCatalogue.named.count == EventCatalogue.all.count)
    }

    @Test func messagesTakeTheirScope() {
        let others = EventCatalogue.all.filter { $0.scope != .read }.map(\.name)
        #expect(others == ["channel.message", "log.record"])
    }

    @Test func aHandlersEventDoesNotPassForOneOfTheGateways() throws {
        let bench = JournalBench()
        let reader = try bench.reader()
        _ = reader.take()
        bench.publish(.custom(name: "session.did_end", data: [:]), .custom(name: "quiz.round", data: 1))
        #expect(reader.take() == ["custom 1", "quiz.round 2"])
    }

    @Test func payloadsOfEveryKindAreTold() {
        func data(_ payload: CastMessage.Payload) -> JSONObject {
            let message = CastMessage(source: "a", destination: "b", namespace: "urn:x-cast:x", payload: payload)
            return GatewayEvent.channelMessage(device: "hall", message: message, direction: .toSender).content.data
        }
        #expect(data(.text("[1]"))["json"] == [1])
        #expect(data(.text("a{")).string("text") == "a{")
        #expect(data(.binary(ByteBuffer(string: "Man"))).string("base64") == "TWFu")
        #expect(data(.binary(ByteBuffer(string: "Ma"))).string("base64") == "TWE=")
        #expect(data(.binary(ByteBuffer(string: "M"))).string("base64") == "TQ==")
        #expect(data(.binary(ByteBuffer())).string("base64")?.isEmpty == true)
    }
}
