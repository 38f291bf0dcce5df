import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayOperations
import NamespaceHandlers
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// What operations and events say of sessions and of casting as a whole, with a real device.
@Suite(.timeLimit(.minutes(3))) struct SessionFactsTests {
    private static let wallOnly = Caller(name: "guest", scopes: [.read], devices: [DevicePattern("office")])

    /// The `data` of a resource in the journal's state.
    private static func state(_ gateway: Gateway, _ kind: String) async -> [JSONObject] {
        let resources = await gateway.journal.state(for: .admin).object("resources")
        return (resources?.array(kind) ?? []).compactMap { $0.objectValue?.object("data") }
    }

    /// Reads the journal of a gateway.
    private final class Reader: Sendable {
        private let wakes = Inbox<Void>()
        private let feed: any EventFeed

        init(_ gateway: Gateway) throws {
            let wakes = self.wakes
            self.feed = try gateway.journal.subscribe(to: .all, from: nil, for: .admin) { wakes.put(()) }
        }

        /// The first event that fits.
        func next(where isMeant: (JSONObject) -> Bool) async throws -> JSONObject? {
            while true {
                let frames = self.feed.take(upTo: 1)
                if frames.isEmpty, await self.wakes.next() == nil { return nil }
                for frame in frames where frame.kind == .event {
                    let json = try #require(try JSONReader.read(frame.bytes).objectValue)
                    if isMeant(json) {
                        let declaration = EventCatalogue.named[json.string("type") ?? ""]
                        #expect(declaration?.faults(of: json.object("data") ?? [:]) == [])
                        return json
                    }
                }
            }
        }

        func next(_ type: String) async throws -> JSONObject? {
            try await self.next { $0.string("type") == type }?.object("data")
        }
    }

    @Test func theGatewaySaysHowCastingStands() async throws {
        try await DeviceOperationsBench.with { bench in
            let gateway = bench.running.gateway
            let reader = try Reader(gateway)
            #expect(try await bench.call("gateway.get", [:]).string("cast_state") == "not_connected")
            #expect(await Self.state(gateway, "gateway").first?.string("state") == "not_connected")
            let session = try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])
            let now = try await bench.call("gateway.get", [:])
            #expect(now.string("cast_state") == "connected")
            #expect(now.array("sessions") == [session["id"] ?? .null])
            #expect(now.object("discovery")?.string("state") != nil)
            let limited = try await bench.call("gateway.get", [:], for: Self.wallOnly)
            #expect(limited.string("cast_state") == "not_connected" && limited.array("sessions") == [])
            let connecting = try await reader.next("gateway.cast_state")
            #expect(connecting?.string("state") == "connecting" && connecting?.string("previous") == "not_connected")
            #expect(try await reader.next("gateway.cast_state")?.string("state") == "connected")
            try await bench.call("session.end", ["session": session["id"] ?? .null])
            #expect(try await reader.next("gateway.cast_state")?.string("state") == "not_connected")
            #expect(await Self.state(gateway, "gateway").first?.string("previous") == "connected")
        }
    }

    @Test func aSessionTellsHowItWasLaunched() async throws {
        try await DeviceOperationsBench.with { bench in
            let started = try await bench.call(
                "session.start",
                [
                    "device": "wall", "app": "CC1AD845", "language": "de-DE", "params": ["room": "hall"],
                    "required_features": ["STREAM_TRANSFER"], "sender_name": "Lobby", "credentials": "secret",
                ])
            let options = started.object("options")
            #expect(options?.string("language") == "de-DE")
            #expect(options?.array("required_features") == ["STREAM_TRANSFER"])
            #expect(options?.string("sender_name") == "Lobby")
            #expect(options?.array("params") == ["room"] && options?.bool("credentials") == true)
            #expect(started.object("traits")?.bool("fixed") == false)
            #expect(started.string("status_text") != nil)
            #expect(!JSONValue.object(started).text.contains("secret"))
            let other = try await bench.problem(
                "session.start", ["device": "wall", "app": "ABCD1234", "unless_active": true])
            #expect(other?.code == "invalid_state")
            let same = try await bench.problem(
                "session.start", ["device": "wall", "app": "CC1AD845", "unless_active": true])
            #expect(same?.code == "invalid_state")
            #expect(try await bench.call("session.get", ["session": "device:wall"])["id"] == started["id"])
            let withoutScope = Caller(name: "guest", scopes: [.read, .control], devices: nil)
            let hidden = try await bench.problem(
                "session.start",
                [
                    "device": "wall", "app": "CC1AD845",
                    "params": ["launchCheckerParams": ["credentialsData": ["credentials": "x"]]],
                ], for: withoutScope)
            #expect(hidden?.code == "scope_missing")
        }
    }

    @Test func aVirtualDeviceThatIsBusyRefusesAStartThatWantsItIdle() async throws {
        try await DeviceOperationsBench.with { bench in
            try await bench.call("session.start", ["device": "hall", "app": "CC1AD845", "unless_active": true])
            let again = try await bench.problem(
                "session.start", ["device": "hall", "app": "CC1AD845", "unless_active": true])
            #expect(again?.code == "invalid_state")
            let ended = try await bench.call("session.end", ["session": "device:hall", "action": "stop"])
            #expect(ended.string("state") == "disconnected")
            let none = try await bench.problem("session.end", ["session": "device:hall"])
            #expect(none?.code == "unknown_session")
            #expect(try await bench.problem("session.get", ["session": "device:attic"])?.code == "unknown_session")
        }
    }

    @Test func whatPlayedLastIsKnownAfterTheEnd() async throws {
        try await DeviceOperationsBench.with { bench in
            let reader = try Reader(bench.running.gateway)
            try await bench.play(on: "wall", ["position": 30, "metadata": ["metadataType": 0, "title": "A film"]])
            let session = try #require(try await bench.call("session.get", ["session": "device:wall"])["id"])
            let ended = try await bench.call("session.end", ["session": "device:wall", "action": "stop"])
            #expect(ended.string("state") == "disconnected")
            let last = ended.object("last")
            #expect(last?.string("title") == "A film" && last?.string("player_state") == "playing")
            #expect(last?.double("position") ?? 0 >= 30)
            #expect(last?.bool("autoplay") == true)
            // Once more does no harm, and it is known how it ended.
            for reference: JSONValue in [session, "device:wall"] {
                let again = try await bench.call("session.end", ["session": reference])
                #expect(again.object("last") == last && again.object("ended")?.int("at") != nil)
                #expect(again.object("ended")?.string("code") == nil)
                let known = try await bench.call("session.get", ["session": reference])
                #expect(known["id"] == session && known.object("last") == last)
            }
            let told = try await reader.next("session.did_end")
            #expect(told?.object("last") == last)
            let guest = Caller(name: "guest", scopes: [.read], devices: [DevicePattern("office")])
            let refused = try await bench.problem("session.get", ["session": session], for: guest)
            #expect(refused?.code == "device_not_allowed")
        }
    }

    @Test func anAppThatIsReplacedSaysByWhat() async throws {
        try await DeviceOperationsBench.with { bench in
            let (near, far) = (try Reader(bench.running.gateway), try Reader(bench.far.gateway))
            try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])
            let operations = bench.far.gateway.operations
            _ = try await operations.call("virtual_device.launch", ["device": "hall", "app": "ABCD1234"], for: .admin)
                .get()
            let virtual = try await far.next("session.ended")
            #expect(virtual?.string("reason") == "replaced" && virtual?.string("running_app") == "ABCD1234")
            // The device closes the connection and tells that nothing runs before it names the other app.
            let ended = try await near.next("session.did_end")
            #expect(ended?.string("code") == "replaced" && ended?.string("status") == "ended")
            #expect(ended?.string("running_app") == "ABCD1234")
            #expect(ended?.string("close_reason") == "closed_by_peer", "\(ended ?? [:])")
        }
    }

    @Test func aSessionIsSuspendedForAReason() async throws {
        try await DeviceOperationsBench.with { bench in
            try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])
            let suspended = try await bench.call(
                "session.suspend", ["session": "device:wall", "reason": "network_error"])
            #expect(suspended.string("suspend_reason") == "network_error")
            #expect(try await bench.call("session.resume", ["session": "device:wall"]).string("state") == "connected")
            let usual = try await bench.call("session.suspend", ["session": "device:wall"])
            #expect(usual.string("suspend_reason") == "app_backgrounded")
        }
    }

    // MARK: Who the gateway says that it is, and what it joins

    /// A gateway with the wall as its device, changed by a test; and the wall.
    private static func with(
        _ change: (inout GatewayConfiguration) -> Void,
        _ body: (RunningGateway, _ wall: RunningGateway) async throws -> Void
    ) async throws {
        try await RunningGateway.with(.hallAndOffice) { wall in
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.shutdown.drain = .zero
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wall.port("hall")))
            ]
            change(&configuration)
            try await RunningGateway.with(configuration) { try await body($0, wall) }
        }
    }

    @Test func appsLearnWhoTheGatewayIs() async throws {
        try await Self.with { configuration in
            configuration.launch.userAgent = "Lobby/2"
            configuration.launch.senderInfo = SenderInfoConfiguration()
            configuration.launch.senderInfo?.platform = .linux
            configuration.launch.senderInfo?.sdk = 2
            configuration.launch.senderInfo?.model = "Lobby"
        } _: { near, wall in
            let connects = wall.gateway.events.subscribe { if case .sessionStarted = $0 { true } else { false } }
            _ = try await near.gateway.operations.call(
                "session.start", ["device": "wall", "app": "CC1AD845"], for: .admin
            ).get()
            for await _ in connects.events { break }
            let senders = try await wall.gateway.operations.call("senders.list", [:], for: .admin).get().body
            let sender = try #require(senders.array("senders")?.first?.objectValue)
            #expect(sender.string("name") == "Lobby", "\(sender)")
            #expect(sender.string("platform") == "linux" && sender.int("sdk") == 2)
        }
    }

    @Test(arguments: SessionJoinPolicy.allCases) func operationsJoinWhatTheyMay(_ policy: SessionJoinPolicy)
        async throws
    {
        try await Self.with {
            $0.sessions.join = policy
        } _: { near, wall in
            func call(_ name: OperationName, _ input: JSONObject) async -> OperationCatalogue.Outcome {
                await near.gateway.operations.call(name, input, for: .admin)
            }
            func problem(_ outcome: OperationCatalogue.Outcome) -> String? {
                if case .failure(let problem) = outcome { problem.code } else { nil }
            }
            _ = try await wall.gateway.operations.call(
                "media.load", ["device": "hall", "app": "CC1AD845", "url": "http://192.0.2.1/film.mp4"], for: .admin
            ).get()
            // What runs is another sender's.
            let foreign = await call("media.pause", ["device": "wall"])
            #expect(problem(foreign) == (policy == .any ? nil : "not_allowed"))
            // One that the gateway has been in is its own.
            _ = try await call("session.start", ["device": "wall", "app": "CC1AD845"]).get()
            _ = try await call("session.end", ["session": "device:wall", "action": "leave"]).get()
            let own = await call("media.play", ["device": "wall"])
            #expect(problem(own) == (policy == .never ? "not_allowed" : nil))
        }
    }
}
