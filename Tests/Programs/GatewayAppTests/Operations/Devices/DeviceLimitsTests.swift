import BuiltInReceiver
import CastClient
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import HandlerKit
import NIOCore
import Synchronization
import Testing

@testable import DeviceControl
@testable import FeatureContract
@testable import GatewayApp
@testable import GatewaySettings

/// What operations say when devices and apps can do less than is wanted.
@Suite(.timeLimit(.minutes(3))) struct DeviceLimitsTests {
    /// A speaker group whose members are asked for, and who can be told once.
    private final class Group: MessageHandler {
        let name = "group"
        let claims = [
            Claim(.exact(.multizone), phase: .filter), Claim(.exact(.media), phase: .filter, types: ["LOAD"]),
            Claim(.exact("urn:x-cast:com.example.echo"), phase: .filter),
        ]
        let heard = Inbox<String>()
        /// How often members are told; afterwards, and from the beginning if zero, the question is refused.
        let answers: Mutex<Int>

        init(answers: Int) {
            self.answers = Mutex(answers)
        }

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            let id = message.summary.requestID?.json ?? 0
            switch message.summary.type {
            case "LOAD":
                return .reply(["type": "LOAD_FAILED", "requestId": id])
            case "GET_STATUS":
                let mayAnswer = self.answers.withLock { left in
                    left -= 1
                    return left >= 0
                }
                guard mayAnswer else {
                    return .reply(["type": "INVALID_REQUEST", "requestId": id, "reason": "INVALID_COMMAND"])
                }
                let kitchen: JSONObject = [
                    "deviceId": "k", "name": "Kitchen", "volume": ["level": 0.5, "muted": false],
                ]
                return .reply([
                    "type": "MULTIZONE_STATUS", "requestId": id, "status": ["devices": [.object(kitchen)]],
                ])
            case "SET_DEVICE_VOLUME":
                return .reply(["type": "MULTIZONE_STATUS", "requestId": id, "status": ["devices": []]])
            default:
                self.heard.put(message.message.payload.text ?? "")
                return .pass
            }
        }
    }

    /// The wall, and the hall, are the group.
    private func with(_ group: Group, _ body: (DeviceOperationsBench) async throws -> Void) async throws {
        try await DeviceOperationsBench.with { bench in
            try bench.far.gateway.registry.register(group)
            try bench.running.gateway.registry.register(group)
            try await body(bench)
        }
    }

    @Test func aVolumeIsToldThoughItsMembersAreNot() async throws {
        try await self.with(Group(answers: 0)) { bench in
            let volume = try await bench.call("volume.get", ["device": "wall", "members": true])
            #expect(volume.double("level") != nil)
            #expect(volume["members"] == nil)
        }
    }

    @Test func aChangeThatWasAnsweredIsDone() async throws {
        try await self.with(Group(answers: 1)) { bench in
            let set = try await bench.call("volume.set", ["device": "wall", "member": "k", "level": 0.25])
            #expect(set.double("level") == 0.25)
            #expect(set["members"] == nil)
        }
    }

    @Test func anAnnouncementThatIsNotPlayedIsAProblem() async throws {
        try await self.with(Group(answers: 0)) { bench in
            let session = try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])
            let problem = try await bench.problem(
                "session.announce", ["session": session["id"] ?? .null, "url": "http://192.0.2.1/bell.mp3"])
            #expect(problem?.code == "media_load_failed")
            #expect(problem?.members.string("end") == "failed")
        }
    }

    @Test(arguments: ["wall", "hall"]) func aMessageThatIsCancelledIsNotSent(_ device: String) async throws {
        let group = Group(answers: 0)
        try await self.with(group) { bench in
            try await bench.call("session.start", ["device": .string(device), "app": "ABCD1234"])
            @Sendable func send(_ text: String) async throws -> OperationProblem? {
                try await bench.problem(
                    "message.send",
                    ["device": .string(device), "namespace": "urn:x-cast:com.example.echo", "text": .string(text)])
            }
            let first = await withTaskGroup(of: String?.self) { tasks in
                tasks.cancelAll()
                tasks.addTask { try? await send("first")?.code }
                return await tasks.next()
            }
            #expect(first == "cancelled")
            #expect(try await send("second") == nil)
            #expect(await group.heard.next() == "second")
        }
    }

    /// With the receiver app `none`, a load that names no app replaces no app that plays no media, also when another
    /// sender has started it; otherwise the default media receiver plays in its place.
    @Test(arguments: [("wall", true), ("wall", false), ("hall", true), ("foyer", true)])
    func anAppWithoutMediaStaysWhereNoneIsLaunched(_ device: String, hasSession: Bool) async throws {
        let cases: [(String?, String?)] = [(DiscoveryConfiguration.noApp, "unsupported_feature"), (nil, nil)]
        for (receiverApp, code) in cases {
            try await DeviceOperationsBench.with({ $0.discovery.receiverApp = receiverApp }) { bench in
                let starter = hasSession ? bench : DeviceOperationsBench(running: bench.far, far: bench.far)
                let name = hasSession ? device : "hall"
                try await starter.call("session.start", ["device": .string(name), "app": "ABCD1234"])
                // The answer to a question comes behind the status that a device tells all.
                try await bench.call("volume.set", ["device": .string(device), "level": 0.5])
                let problem = try await bench.problem(
                    "media.load", ["device": .string(device), "url": "http://192.0.2.1/film.mp4"])
                #expect(problem?.code == code)
            }
        }
    }

    // MARK: Queues

    private static func items(_ count: Int) -> JSONValue {
        .array(
            (0..<count).map { number in
                [
                    "media": [
                        "contentUrl": .string("http://192.0.2.1/\(number).mp4"), "contentType": "video/mp4",
                        "duration": 60,
                    ]
                ]
            })
    }

    @Test(arguments: DeviceOperationsTests.devices) func aSnapshotHasTheWholeQueue(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let session = try await bench.call("session.start", ["device": .string(device), "app": "CC1AD845"])
            try await bench.call(
                "media.load", ["device": .string(device), "queue": ["items": Self.items(45), "startIndex": 20]])
            let id = session["session_id"] ?? .null
            let snapshot = try await bench.call("session.snapshot", ["session": id])
            #expect(snapshot.array("limits")?.contains("queue_incomplete") == false)
            let load = snapshot.object("state")?.object("loadRequestData")
            #expect(load?.object("queueData")?.array("items")?.count == 45)
            #expect(load?.object("queueData")?.int("startIndex") == 20)
            let volume = try await bench.call(
                "session.restore", ["session": id, "state": snapshot["state"] ?? .null, "muted": true])
            #expect(volume.string("player_state") != nil)
            #expect(try await bench.call("volume.get", ["device": .string(device)]).bool("muted") == true)
        }
    }

    @Test func readingAQueueJoinsNothing() async throws {
        try await DeviceOperationsBench.with { bench in
            let other = DeviceOperationsBench(running: bench.far, far: bench.far)
            try await other.call("session.start", ["device": "hall", "app": "CC1AD845"])
            try await other.call("media.load", ["device": "hall", "queue": ["items": Self.items(5)]])
            let page = try await bench.call("queue.list", ["device": "wall"])
            #expect(page.bool("complete") == false)
            #expect(try await bench.call("sessions.list", [:]).array("sessions") == [])
        }
    }

    /// A device that answers slowly, in a time of its own.
    private final class SlowDevice: ControlledDevice {
        let kind = DeviceReference.Kind.virtual
        let name = "slow"
        private let time = Mutex(NIODeadline.uptimeNanoseconds(0))

        var now: NIODeadline { self.time.withLock { $0 } }
        var isJoined: Bool { true }

        func perform(
            _ command: MediaCommand
        ) async throws(OperationProblem) -> (reply: JSONObject, media: MediaSnapshot) {
            self.time.withLock { $0 = $0 + .seconds(9) }
            let wanted = MediaRequest(json: command.body).itemIDs
            let reply: JSONObject =
                if let wanted {
                    ["type": "QUEUE_ITEMS", "items": .array(wanted.map { ["itemId": .number($0), "autoplay": true] })]
                } else {
                    ["type": "QUEUE_ITEM_IDS", "itemIds": .array((1...200).map { .number($0) })]
                }
            return (reply, MediaSnapshot())
        }

        func media() async -> MediaSnapshot { MediaSnapshot() }

        func ask(
            _ request: JSONObject, in namespace: Namespace, replacing: String?
        ) async throws(OperationProblem) -> JSONObject { [:] }

        func knownStatus() async -> ReceiverStatus? { nil }

        func listens(in namespace: Namespace) async -> Bool { true }

        func send(_ message: AppMessage) async throws(OperationProblem) -> CastMessage.Payload? { nil }

        func start(_ wish: SessionStartRequest) async throws(OperationProblem) -> ControlledSession {
            throw OperationProblem(deviceFailure: .applicationNotFound, "there are no apps")
        }
    }

    @Test func aSlowAppIsNotAskedForLong() async throws {
        let device = SlowDevice()
        let page = try await ListQueue.page(of: device, offset: 0, limit: 200)
        #expect(page.int("total") == 200)
        let items = page.array("items")?.compactMap(\.objectValue) ?? []
        #expect(items.count == 200)
        #expect(items.count { $0["item"] != nil } == 20)
    }

    // MARK: Sessions

    @Test(arguments: ["hall", "foyer"]) func aSessionOfAVirtualDeviceIsNotLeft(_ device: String) async throws {
        try await DeviceOperationsBench.with { bench in
            let session = try await bench.call("session.start", ["device": .string(device), "app": "CC1AD845"])
            let problem = try await bench.problem(
                "session.end", ["session": session["session_id"] ?? .null, "stop": false])
            #expect(problem?.code == "not_real")
        }
    }

    @Test func aTransferGoesToADeviceThatIsFree() async throws {
        var two = GatewayConfiguration.hallAndOffice
        two.virtualDevices[1].apps = two.virtualDevices[0].apps
        try await RunningGateway.with(two) { far in
            let configuration = GatewayConfiguration {
                $0.virtualDevices = []
                $0.discovery.staticDevices = ["hall", "office"].map {
                    StaticDevice(name: $0, address: DialAddress(host: "127.0.0.1", port: far.port($0)))
                }
            }
            try await RunningGateway.with(configuration) { near in
                let bench = DeviceOperationsBench(running: near, far: far)
                let session = try await bench.call("session.start", ["device": "hall", "app": "CC1AD845"])
                let id = session["id"] ?? .null
                let same = try await bench.problem("session.transfer", ["session": id, "to": "hall"])
                #expect(same?.code == "invalid_request")
                try await bench.call("session.start", ["device": "office", "app": "CC1AD845"])
                let taken = try await bench.problem("session.transfer", ["session": id, "to": "office"])
                #expect(taken?.code == "invalid_state")
            }
        }
    }
}
