import CastClient
import CastWire
import ControlAPI
import DeviceSessions
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// Lists, snapshots and streams tell a caller that is limited to some devices of those alone.
@Suite(.timeLimit(.minutes(2))) struct PermittedReachTests {
    private static let guestToken = "guest-0123456789abcdef0123456789abcdef"
    private static let adminToken = "admin-0123456789abcdef0123456789abcdef"
    private static let guest = Caller(
        name: "guest", scopes: Set(OperationScope.allCases), devices: [DevicePattern("hall")])

    private struct Bench {
        let running: RunningGateway
        /// Names, ids, addresses and contents of devices that are not the guest's.
        let secrets: [String]

        func secrets(in text: String) -> [String] { self.secrets.filter { text.contains($0) } }

        @discardableResult
        func call(_ name: OperationName, _ input: JSONObject) async throws -> JSONObject {
            try await self.running.gateway.operations.call(name, input, for: .admin).get().body
        }
    }

    /// A gateway in which all devices play: `hall` is the guest's; `wall` is real, and `foyer`, to which a sender is connected, relays to
    /// it.
    private static func with(_ body: (Bench) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { far in
            var configuration = GatewayConfiguration.hallAndOffice
            let port = far.port("hall")
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: port))
            ]
            configuration.virtualDevices.append(
                VirtualDeviceConfiguration(
                    name: "foyer", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("wall")))
            configuration.api.listen = ListenAddress(host: "127.0.0.1", port: 0)
            configuration.api.tokens = [
                APITokenConfiguration(name: "guest", token: Secret(Self.guestToken)) {
                    $0.scopes = OperationScope.allCases
                    $0.devices = ["hall"]
                },
                APITokenConfiguration(name: "operator", token: Secret(Self.adminToken)) {
                    $0.scopes = OperationScope.allCases
                },
            ]
            try await RunningGateway.with(configuration) { running in
                let bare = Bench(running: running, secrets: [])
                var sessions: [String] = []
                for device in ["wall", "hall"] {
                    let session = try await bare.call(
                        "session.start", ["device": .string(device), "app": "CC1AD845"])
                    if device == "wall", let id = session.string("session_id") { sessions.append(id) }
                    try await bare.call(
                        "media.load",
                        [
                            "device": .string(device), "url": .string("http://192.0.2.1/of-\(device).mp4"),
                            "content_type": "video/mp4", "duration": 600,
                            "metadata": ["metadataType": 0, "title": .string("of-\(device)")],
                        ])
                }
                #expect(sessions.count == 1)
                let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: running.port("foyer"))
                try await body(
                    Bench(
                        running: running,
                        secrets: ["wall", "foyer", "office", "127.0.0.1:\(port)", "of-wall"] + sessions))
                await sender.close()
            }
        }
    }

    /// What some operations want, of devices that the guest may use.
    private static let inputs: [OperationName: JSONObject] = [
        "guest.check_out": ["guest": "g-0"], "join_code.create": ["devices": ["hall"]],
        "join_code.redeem": ["code": "00000000"],
    ]
    /// They list nothing here, or no list at all: there are no requests that go on, channels of own sessions, codes and guests.
    private static let empty: Set<OperationName> = [
        "requests.list", "channels.list", "guests.list", "join_codes.list", "guest.check_out", "join_code.create",
        "join_code.redeem",
    ]

    @Test func listsHaveNothingOfOtherDevices() async throws {
        try await Self.with { bench in
            let operations = bench.running.gateway.operations.declarations.filter { $0.reach == .permitted }
            #expect(operations.count >= 6)
            var seen: Set<String> = []
            for operation in operations {
                let input =
                    Self.inputs[operation.name] ?? (operation.route.parameters.isEmpty ? [:] : ["request": "r-0-1"])
                let told = await bench.running.gateway.operations.call(operation.name, input, for: Self.guest)
                let text =
                    switch told {
                    case .success(let answer): JSONValue.object(answer.body).text
                    case .failure(let problem): JSONValue.object(problem.json).text
                    }
                #expect(bench.secrets(in: text) == [], "\(operation.name): \(text)")
                guard operation.route.parameters.isEmpty, !Self.empty.contains(operation.name) else { continue }
                let all = JSONValue.object(try await bench.call(operation.name, [:])).text
                let found = bench.secrets(in: all)
                #expect(!found.isEmpty, "\(operation.name): \(all)")
                seen.formUnion(found)
            }
            #expect(seen == Set(bench.secrets), "each of them could have been told")
            // The guest's own device is there.
            let status = try await bench.running.gateway.operations.call("gateway.status", [:], for: Self.guest).get()
            #expect(JSONValue.object(status.body).text.contains("of-hall"))
        }
    }

    @Test func theSnapshotHasNothingOfOtherDevices() async throws {
        try await Self.with { bench in
            let port = try #require(bench.running.gateway.apiPort)
            func state(_ token: String) async throws -> String {
                var answer = ""
                try await HTTPPeer.connect(to: port) { peer in
                    peer.send(APIBench.request("GET /api/v1/state", token: token))
                    answer = await peer.readToEnd()
                }
                return answer
            }
            let told = try await state(Self.guestToken)
            #expect(told.hasPrefix("HTTP/1.1 200") && told.contains("\"hall\""))
            #expect(bench.secrets(in: told) == [], "\(told)")
            #expect(!bench.secrets(in: try await state(Self.adminToken)).isEmpty)
        }
    }

    /// Has something happen on all devices, and at last something on the guest's that tells the reader that no more comes.
    private static func happen(_ bench: Bench) async throws {
        for device in ["real:wall", "office"] {
            try await bench.call("volume.set", ["device": .string(device), "level": 0.25])
        }
        try await bench.call("media.pause", ["device": "foyer"])
        try await bench.call("volume.set", ["device": "hall", "level": 0.125])
    }

    /// What a reader is told until the level of the hall is that of ``happen(_:)``.
    private static func streamed(_ bench: Bench, token: String) async throws -> String {
        var told = ""
        try await HTTPPeer.connect(to: try #require(bench.running.gateway.apiPort)) { peer in
            peer.send(APIBench.request("GET /api/v1/events", token: token, isLast: false))
            told = await peer.read(until: "event: synced")
            try await Self.happen(bench)
            told += await peer.read(until: "0.125")
        }
        return told
    }

    @Test func serverSentEventsHaveNothingOfOtherDevices() async throws {
        try await Self.with { bench in
            let told = try await Self.streamed(bench, token: Self.guestToken)
            #expect(told.contains("0.125") && told.contains("\"hall\""))
            #expect(bench.secrets(in: told) == [], "\(told)")
        }
        try await Self.with { bench in
            let all = try await Self.streamed(bench, token: Self.adminToken)
            #expect(bench.secrets(in: all).contains("wall") && bench.secrets(in: all).contains("of-wall"))
        }
    }

    private static func subscribed(_ bench: Bench, token: String) async throws -> String {
        var told = ""
        try await HTTPPeer.connect(to: try #require(bench.running.gateway.apiPort)) { peer in
            let socket = WebSocketPeer(peer)
            let answer = await socket.open(
                SocketRoutes.path, ["Host": "127.0.0.1", "Authorization": "Bearer \(token)"])
            #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
            socket.send(text: #"{"id":1,"subscribe":{}}"#)
            var isSynced = false
            while let frame = await socket.next() {
                told += frame.text
                if !isSynced, frame.text.contains("\"synced\"") {
                    isSynced = true
                    try await Self.happen(bench)
                }
                if isSynced, frame.text.contains("0.125") { break }
            }
        }
        return told
    }

    @Test func theSocketHasNothingOfOtherDevices() async throws {
        try await Self.with { bench in
            let told = try await Self.subscribed(bench, token: Self.guestToken)
            #expect(told.contains("0.125") && told.contains("\"hall\""))
            #expect(bench.secrets(in: told) == [], "\(told)")
        }
        try await Self.with { bench in
            let all = try await Self.subscribed(bench, token: Self.adminToken)
            #expect(bench.secrets(in: all).contains("wall") && bench.secrets(in: all).contains("of-wall"))
        }
    }
}
