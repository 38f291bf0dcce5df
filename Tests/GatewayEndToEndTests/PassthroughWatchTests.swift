import BuiltInReceiver
import CastDiscovery
import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import GatewaySettings
import Logging
import Passthrough
import Testing
import VirtualDevices

/// What a gateway knows of a device that senders are passed through to, and does on it, by a channel of its own. Another gateway's device
/// stands for the real one.
@Suite(.timeLimit(.minutes(2))) struct PassthroughWatchTests {
    /// Tells of the lines that a test waits for.
    private struct Lines: LogHandler {
        let inbox: Inbox<String>
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.inbox.put("\(event.message)") }
    }

    private static let media = "CC1AD845"

    /// Runs a gateway that passes senders through to another one's device, once it looks after that.
    private static func watching(
        _ change: (inout VirtualDeviceConfiguration) -> Void = { _ in },
        body: (_ near: RunningGateway, _ events: EventSubscription) async throws -> Void
    ) async throws {
        try await RunningGateway.with(.bench) { far in
            var configuration = GatewayConfiguration {
                $0.virtualDevices = [
                    VirtualDeviceConfiguration(
                        name: "room", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .passthrough("tv")
                    ) {
                        $0.publish = false
                        change(&$0)
                    }
                ]
                $0.discovery.staticDevices = [
                    StaticDevice(name: "tv", address: DialAddress(host: "127.0.0.1", port: far.port("bench")))
                ]
            }
            configuration.shutdown.drain = .zero
            let lines = Inbox<String>()
            try await RunningGateway.with(
                configuration, makeLogger: { Logger(label: $0) { _ in Lines(inbox: lines) } }
            ) { near in
                var missing: Set = ["The device is there", "The device is looked after"]
                while !missing.isEmpty, let line = await lines.next() { missing.remove(line) }
                let events = near.gateway.events.subscribe { event in
                    switch event {
                    case .sessionStarted("room", _), .sessionEnded("room", _, _, _, _), .mediaStatus("room", _, _),
                        .passed("room", _):
                        true
                    default: false
                    }
                }
                try await body(near, events)
            }
        }
    }

    private static func next<Value>(
        _ events: EventSubscription, _ pick: (GatewayEvent) -> Value?
    ) async -> Value? {
        for await event in events.events {
            if let value = pick(event) { return value }
        }
        return nil
    }

    @Test func whatRunsIsKnownAndCallersActOnIt() async throws {
        try await Self.watching { near, events in
            let bench = OperationBench(near)
            try await TestSender.connect(to: near.port("room")) { sender in
                let transport = try await sender.launchAndLoad()
                let started = await Self.next(events) { event -> SessionFacts? in
                    if case .sessionStarted(_, let app) = event { app } else { nil }
                }
                #expect(started?.appID.rawValue == Self.media && started?.transportID == transport)
                let playing = await Self.next(events) { event -> JSONObject? in
                    guard case .mediaStatus(_, transport, let status) = event,
                        status.string("playerState") == "PLAYING"
                    else { return nil }
                    return status
                }
                #expect(playing != nil)
                let room = try await bench.answer("virtual_device.get", ["device": "room"])
                #expect(room.int("senders") == 1, "\(room)")
                #expect(room.elements("apps").map { $0.string("app") } == [Self.media], "\(room)")
                _ = try await bench.answer("media.pause", ["device": "room"])
                // The sender is told, behind the splice.
                let paused = try await sender.receive { message in
                    let status = message.payload.jsonObject?.array("status")?.first?.objectValue
                    return status?.string("playerState") == "PAUSED"
                }
                #expect(paused != nil)
                _ = try await bench.answer("volume.set", ["device": "room", "level": 0.25])
                let status = try await sender.status(requestID: 70)
                #expect(status.volume?.level == 0.25)
                let senders = try await bench.answer("senders.list").elements("senders")
                #expect(senders.map { $0.string("device") } == ["room"])
            }
        }
    }

    @Test func withoutMediaNoAppIsConnectedTo() async throws {
        try await Self.watching {
            $0.observation = .receiver
        } body: { near, events in
            try await TestSender.connect(to: near.port("room")) { sender in
                _ = try await sender.launchAndLoad()
                let started = await Self.next(events) { event -> SessionFacts? in
                    if case .sessionStarted(_, let app) = event { app } else { nil }
                }
                #expect(started?.appID.rawValue == Self.media)
                let bench = OperationBench(near)
                let room = try await bench.answer("virtual_device.get", ["device": "room"])
                let app = try #require(room.elements("apps").first)
                #expect(app.string("app") == Self.media && app["media"] == nil, "\(app)")
            }
        }
    }

    @Test func anAppThatIsNotAllowedIsStopped() async throws {
        try await Self.watching {
            $0.apps = [VirtualAppConfiguration(id: "233637DE")]
        } body: { near, events in
            try await TestSender.connect(to: near.port("room")) { sender in
                _ = try await sender.connectPlatform()
                try await sender.send(["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"], in: .receiver)
                let stopped = await Self.next(events) { event -> PassedDeviceChange? in
                    if case .passed(_, let change) = event { change } else { nil }
                }
                guard case .appStopped(let app, let reason)? = stopped else {
                    Issue.record("\(String(describing: stopped))")
                    return
                }
                #expect(app.appID.rawValue == Self.media && reason == .notAllowed)
                let status = try await sender.status(requestID: 70)
                let left = status.applications.filter { !$0.isIdleScreen }
                #expect(left.isEmpty)
            }
        }
    }

    @Test func rulesFollowAReloadAndSendersStay() async throws {
        try await Self.watching { near, events in
            try await TestSender.connect(to: near.port("room")) { sender in
                _ = try await sender.connectPlatform()
                var configuration = near.gateway.configuration
                configuration.virtualDevices[0].volume.maximum = 0.4
                let outcome = await near.gateway.reload(to: configuration)
                try await sender.send(
                    ["type": "SET_VOLUME", "requestId": 5, "volume": ["level": 0.9]], in: .receiver)
                let lowered = await Self.next(events) { event -> PassedDeviceChange? in
                    if case .passed(_, let change) = event { change } else { nil }
                }
                guard case .volumeLowered(_, let most)? = lowered else {
                    Issue.record("\(String(describing: lowered)) \(outcome)")
                    return
                }
                #expect(most == 0.4)
            }
        }
    }

    @Test func checkOutStopsWhatTheGuestStarted() async throws {
        let guest = "127.0.0.32"
        try await Self.watching {
            $0.join = .required
        } body: { near, events in
            let bench = OperationBench(near)
            let made = try await bench.answer("join_code.create", ["devices": ["room"]])
            _ = try await bench.answer("join_code.redeem", ["code": made["code"] ?? "", "address": .string(guest)])
            try await TestSender.connect(to: near.port("room"), from: guest) { sender in
                _ = try await sender.launchAndLoad()
                _ = await Self.next(events) { event -> Bool? in
                    if case .mediaStatus = event { true } else { nil }
                }
                let left = try await bench.answer("guest.check_out", ["device": "room"])
                #expect(left.elements("guests").first?.int("closed") == 1, "\(left)")
                try await sender.closed()
            }
            let ended = await Self.next(events) { event -> String? in
                if case .sessionEnded(_, let session, _, _, _) = event { session } else { nil }
            }
            #expect(ended != nil)
            let room = try await bench.answer("virtual_device.get", ["device": "room"])
            #expect(room.elements("apps").isEmpty, "\(room)")
        }
    }

    @Test func nothingIsKnownOfADeviceThatIsNotObserved() async throws {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "room", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .passthrough("tv")
                ) {
                    $0.publish = false
                    $0.observation = .none
                }
            ]
        }
        configuration.shutdown.drain = .zero
        try await RunningGateway.with(configuration) { near in
            let bench = OperationBench(near)
            let problem = try await bench.problem("media.pause", ["device": "room"])
            #expect(problem.code == "unavailable", "\(problem)")
            let unknown = try await bench.problem("device.get", ["device": "real:tv"])
            #expect(unknown.code == "unknown_device", "\(unknown)")
        }
    }
}
