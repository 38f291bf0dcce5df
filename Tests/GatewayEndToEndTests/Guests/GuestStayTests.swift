import BuiltInReceiver
import CastDiscovery
import CastIdentity
import CastWire
import CastwayTestSupport
import ControlAPI
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import NamespaceHandlers
import Synchronization
import SystemPrimitives
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// Guests from their join code to check-out, with senders and devices that are real connections.
@Suite(.timeLimit(.minutes(3))) struct GuestStayTests {
    private static let guest = "127.0.0.21"
    private static let other = "127.0.0.22"

    /// `hall` asks for a join code; `office` does not.
    private static var configuration: GatewayConfiguration {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.virtualDevices[0].join = .required
        configuration.api.join.listen = ListenAddress(host: "127.0.0.1", port: 0)
        return configuration
    }

    /// Has an address join a device.
    @discardableResult
    private func join(
        _ device: String, from address: String, _ bench: OperationBench, _ more: JSONObject = [:]
    ) async throws -> JSONObject {
        var input: JSONObject = ["devices": [.string(device)]]
        for member in more.members { input[member.name] = member.value }
        let made = try await bench.answer("join_code.create", input)
        return try await bench.answer(
            "join_code.redeem", ["code": .string(made.string("code") ?? ""), "address": .string(address)])
    }

    /// Whether an address gets as far as a status.
    private func mayConnect(_ address: String, to port: Int) async -> Bool {
        do {
            return try await TestSender.connect(to: port, from: address) { sender in
                _ = try await sender.connectPlatform()
                return true
            }
        } catch {
            return false
        }
    }

    /// The apps that run on a device.
    private func apps(_ device: String, _ running: RunningGateway) async -> [String] {
        await running.gateway.running.overview(of: device)?.apps.map(\.facts.appID.rawValue) ?? []
    }

    @Test func aGuestCastsFromTheCodeToCheckOut() async throws {
        try await RunningGateway.with(Self.configuration) { running in
            let bench = OperationBench(running)
            let hall = running.port("hall")
            let refusals = running.gateway.events.subscribe { if case .senderRefused = $0 { true } else { false } }
            #expect(await !self.mayConnect(Self.guest, to: hall))
            var reason: String?
            for await case .senderRefused(_, Self.guest, let text, _) in refusals.events {
                reason = text
                break
            }
            #expect(reason == "the address has redeemed no join code")
            // One that asks for none.
            #expect(await self.mayConnect(Self.guest, to: running.port("office")))
            let guest = try await self.join("hall", from: Self.guest, bench)
            #expect(await !self.mayConnect(Self.other, to: hall))
            try await TestSender.connect(to: hall, from: Self.guest) { sender in
                _ = try await sender.launchAndLoad()
                let left = try await bench.answer("guest.check_out", ["guest": guest["id"] ?? ""])
                // The connection is closed, and what the guest plays stops.
                try await sender.closed()
                let said = try #require(left.elements("guests").first)
                #expect(said.int("closed") == 1 && said.int("unstopped") == 0, "\(said)")
                #expect(said.array("stopped") == ["hall: CC1AD845"])
            }
            #expect(await self.apps("hall", running).isEmpty)
            #expect(await !self.mayConnect(Self.guest, to: hall))
            #expect(try await bench.answer("guests.list").elements("guests").isEmpty)
            let again = try await bench.problem("guest.check_out", ["guest": guest["id"] ?? ""])
            #expect(again.code == "unknown_guest")
        }
    }

    /// A phone that sleeps has no connection, and its film plays on: check-out stops it. What others watch is left to them.
    @Test func whatAGuestPlaysWithoutAConnectionStopsToo() async throws {
        try await RunningGateway.with(Self.configuration) { running in
            let bench = OperationBench(running)
            let hall = running.port("hall")
            let first = try await self.join("hall", from: Self.guest, bench)
            let second = try await self.join("hall", from: Self.other, bench)
            try await TestSender.connect(to: hall, from: Self.guest) { _ = try await $0.launchAndLoad() }
            try await TestSender.connect(to: hall, from: Self.other) { sender in
                let app = try #require(try await sender.connectPlatform().applications.first?.transportID)
                try await sender.send(["type": "CONNECT"], in: .connection, to: app)
                try await sender.send(["type": "GET_STATUS", "requestId": 7], in: .media, to: app)
                _ = try await sender.answer(to: 7)
                // The second guest is connected to it, so it plays on.
                let left = try await bench.answer("guest.check_out", ["guest": first["id"] ?? ""])
                #expect(left.elements("guests").first?.array("stopped") == [])
                #expect(await self.apps("hall", running) == ["CC1AD845"])
                try await sender.send(["type": "GET_STATUS", "requestId": 8], in: .media, to: app)
                #expect(try await sender.answer(to: 8)?.string("type") == "MEDIA_STATUS")
            }
            // Nothing of the second guest is connected any more, and it plays.
            #expect(await self.apps("hall", running) == ["CC1AD845"])
            let left = try await bench.answer("guest.check_out", ["guest": second["id"] ?? ""])
            #expect(left.elements("guests").first?.array("stopped") == ["hall: CC1AD845"])
            #expect(await self.apps("hall", running).isEmpty)
        }
    }

    /// Of two who leave at once, neither keeps the other's app: a connection that is being closed is no user of it.
    @Test func whatGuestsOfARoomPlayStopsWhenAllLeave() async throws {
        try await RunningGateway.with(Self.configuration) { running in
            let bench = OperationBench(running)
            let hall = running.port("hall")
            try await self.join("hall", from: Self.guest, bench)
            try await self.join("hall", from: Self.other, bench)
            try await TestSender.connect(to: hall, from: Self.guest) { first in
                _ = try await first.launchAndLoad()
                try await TestSender.connect(to: hall, from: Self.other) { second in
                    let app = try #require(try await second.connectPlatform().applications.first?.transportID)
                    try await second.send(["type": "CONNECT"], in: .connection, to: app)
                    try await second.send(["type": "GET_STATUS", "requestId": 7], in: .media, to: app)
                    _ = try await second.answer(to: 7)
                    let left = try await bench.answer("guest.check_out", ["device": "virtual:hall"])
                    #expect(left.elements("guests").map { $0.int("closed") } == [1, 1])
                    #expect(left.elements("guests").flatMap { $0.array("stopped") ?? [] } == ["hall: CC1AD845"])
                }
            }
            #expect(await self.apps("hall", running).isEmpty)
            let unknown = try await bench.problem("guest.check_out", ["device": "hal"])
            #expect(unknown.code == "unknown_device")
        }
    }

    /// What runs on a device that the guest did not touch is not the guest's to stop.
    @Test func whatAGuestHasNotJoinedPlaysOn() async throws {
        try await RunningGateway.with(Self.configuration) { running in
            let bench = OperationBench(running)
            let guest = try await self.join("hall", from: Self.guest, bench)
            _ = try await bench.answer("virtual_device.launch", ["device": "hall", "app": "CC1AD845"])
            #expect(await self.mayConnect(Self.guest, to: running.port("hall")))
            _ = try await bench.answer("guest.check_out", ["guest": guest["id"] ?? ""])
            #expect(await self.apps("hall", running) == ["CC1AD845"])
        }
    }

    @Test func checkOutOfARoomLeavesTheNextRoomAlone() async throws {
        var configuration = Self.configuration
        configuration.virtualDevices[1].join = .required
        try await RunningGateway.with(configuration) { running in
            let bench = OperationBench(running)
            let open = try await bench.answer("join_code.create", ["devices": ["hall"]])
            try await self.join("hall", from: Self.guest, bench)
            try await self.join("office", from: Self.other, bench)
            try await TestSender.connect(to: running.port("office"), from: Self.other) { neighbour in
                _ = try await neighbour.connectPlatform()
                try await TestSender.connect(to: running.port("hall"), from: Self.guest) { sender in
                    _ = try await sender.connectPlatform()
                    let left = try await bench.answer("guest.check_out", ["device": "hall"])
                    #expect(left.elements("guests").map { $0.string("address") } == [Self.guest])
                    #expect(left.array("revoked") == [open["id"] ?? ""])
                    try await sender.closed()
                }
                try await neighbour.send(["type": "GET_STATUS", "requestId": 5], in: .receiver)
                #expect(try await neighbour.answer(to: 5)?.string("type") == "RECEIVER_STATUS")
            }
            #expect(await self.mayConnect(Self.other, to: running.port("office")))
            let late = try await bench.problem(
                "join_code.redeem", ["code": open["code"] ?? "", "address": "127.0.0.23"])
            #expect(late.code == "code_refused")
        }
    }

    /// What a back end sent for the apps of a guest, while none ran, is not for the next one.
    @Test func messagesThatAreKeptForARoomGoWithItsGuests() async throws {
        var configuration = Self.configuration
        configuration.channels = [
            ChannelConfiguration(namespace: "urn:x-cast:com.example.bill") {
                $0.accept = [.api]
                $0.whenAbsent = .keep(.seconds(3600), atMost: 10)
            }
        ]
        try await RunningGateway.with(configuration) { running in
            let bench = OperationBench(running)
            for device in ["hall", "hall", "office"] {
                _ = try await bench.answer(
                    "message.send",
                    [
                        "device": .string("virtual:\(device)"), "namespace": "urn:x-cast:com.example.bill",
                        "text": "12.00",
                    ])
            }
            let left = try await bench.answer("guest.check_out", ["device": "hall"])
            #expect(left.int("messages") == 2 && left.array("guests") == [])
            #expect(try await bench.answer("outbox.list").elements("messages").count == 1)
        }
    }

    /// A real device behind it is told to stop, and other senders of it are not concerned.
    @Test func whatAGuestPlaysOnARealDeviceStops() async throws {
        try await RunningGateway.with(.hallAndOffice) { far in
            var configuration = GatewayConfiguration {
                $0.virtualDevices = [
                    VirtualDeviceConfiguration(
                        name: "room-12", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("tv"))
                ]
            }
            configuration.virtualDevices[0].join = .required
            configuration.shutdown.drain = .zero
            configuration.discovery.staticDevices = [
                StaticDevice(name: "tv", address: DialAddress(host: "127.0.0.1", port: far.port("hall")))
            ]
            try await RunningGateway.with(configuration) { running in
                let bench = OperationBench(running)
                let guest = try await self.join("room-12", from: Self.guest, bench)
                try await TestSender.connect(to: running.port("room-12"), from: Self.guest) {
                    _ = try await $0.launchAndLoad()
                }
                #expect(await self.apps("hall", far) == ["CC1AD845"])
                let left = try await bench.answer("guest.check_out", ["guest": guest["id"] ?? ""])
                #expect(left.elements("guests").first?.array("stopped") == ["room-12: CC1AD845"])
                #expect(await self.apps("hall", far).isEmpty)
            }
        }
    }

    private final class TimeOfDay: Sendable {
        private let offset = Mutex<Int64>(0)
        var now: Int64 { WallClock.secondsSince1970 + self.offset.withLock { $0 } }
        func pass(_ seconds: Int64) { self.offset.withLock { $0 += seconds } }
    }

    /// Codes, guests and what they play are there after a restart; the time that passed counts.
    @Test func aRestartChangesNothingForGuests() async throws {
        let folder = try TemporaryFolder()
        let time = TimeOfDay()
        func with<Result: Sendable>(_ body: (RunningGateway) async throws -> Result) async throws -> Result {
            var configuration = Self.configuration
            configuration.gateway.stateDirectory = folder.path
            let made = configuration
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(configuration: made, network: AbsentNetwork(), wallClock: { time.now })
            }
            return try await RunningGateway.with(gateway, body: body)
        }
        let (guest, open) = try await with { running in
            let bench = OperationBench(running)
            let guest = try await self.join("hall", from: Self.guest, bench, ["scopes": ["read"], "stay": 3600])
            let open = try await bench.answer("join_code.create", ["devices": ["hall"], "lifetime": 1800])
            return (guest, open)
        }
        let token = try #require(guest.string("secret"))
        try await with { running in
            let bench = OperationBench(running)
            #expect(try await bench.answer("guests.list").elements("guests").map { $0["id"] } == [guest["id"]])
            #expect(await self.mayConnect(Self.guest, to: running.port("hall")))
            #expect(await !self.mayConnect(Self.other, to: running.port("hall")))
            _ = try await bench.answer(
                "join_code.redeem", ["code": open["code"] ?? "", "address": .string(Self.other)])
            #expect(await self.mayConnect(Self.other, to: running.port("hall")))
            try await TestSender.connect(to: running.port("hall"), from: Self.guest) { sender in
                _ = try await sender.connectPlatform()
                time.pass(3600)
                #expect(await !self.mayConnect(Self.guest, to: running.port("hall")))
                // A look at the guests has this one leave; the timer would have done so by itself.
                #expect(try await bench.answer("guests.list").elements("guests").count == 1)
                try await sender.closed()
            }
            #expect(try await bench.answer("join_codes.list").elements("codes").isEmpty)
        }
        try await with { running in
            #expect(await !self.mayConnect(Self.guest, to: running.port("hall")))
            let tokens = try await OperationBench(running).answer("tokens.list").elements("tokens")
            #expect(tokens.allSatisfy { $0.bool("expired") == true || $0["id"] != guest["token"] })
        }
        for file in ["castway.db", "castway.db-wal"] {
            if let text = try? folder.read(file) { #expect(!text.contains(token)) }
        }
    }

    /// A device that asks for a join code from now on keeps those who have one.
    @Test func aReloadThatAsksForACodeDisconnectsStrangers() async throws {
        var configuration = Self.configuration
        configuration.virtualDevices[0].join = .open
        try await RunningGateway.with(configuration) { running in
            let bench = OperationBench(running)
            try await self.join("hall", from: Self.guest, bench)
            let hall = running.port("hall")
            var guarded = running.gateway.configuration
            guarded.virtualDevices[0].join = .required
            let after = guarded
            try await TestSender.connect(to: hall, from: Self.guest) { guest in
                _ = try await guest.connectPlatform()
                try await TestSender.connect(to: hall, from: Self.other) { stranger in
                    _ = try await stranger.connectPlatform()
                    _ = try await running.gateway.reload(to: after).get()
                    try await stranger.closed()
                }
                try await guest.send(["type": "GET_STATUS", "requestId": 5], in: .receiver)
                #expect(try await guest.answer(to: 5)?.string("type") == "RECEIVER_STATUS")
            }
        }
    }

    /// A caller that is limited to some devices lets guests in there alone, and sees the guests of those alone.
    @Test func aDeskOfOneRoomKnowsNothingOfTheOthers() async throws {
        var configuration = Self.configuration
        configuration.virtualDevices[1].join = .required
        try await RunningGateway.with(configuration) { running in
            let all = OperationBench(running)
            let hall = try await self.join("hall", from: Self.guest, all)
            let code = try await all.answer("join_code.create", ["devices": ["hall"]])
            let desk = OperationBench(
                running, as: Caller(name: "desk", scopes: [.read, .control], devices: [DevicePattern("office")]))
            #expect(try await desk.problem("join_code.create", ["devices": ["hall"]]).code == "device_not_allowed")
            #expect(try await desk.problem("join_code.create", ["devices": ["*"]]).code == "device_not_allowed")
            #expect(
                try await desk.problem("join_code.create", ["devices": ["office"], "scopes": ["read"]]).code
                    == "scope_missing")
            #expect(try await desk.problem("guest.check_out", ["device": "hall"]).code == "device_not_allowed")
            #expect(try await desk.problem("guest.check_out", ["guest": hall["id"] ?? ""]).code == "unknown_guest")
            #expect(try await desk.problem("join_code.revoke", ["id": code["id"] ?? ""]).code == "unknown_code")
            try await self.join("office", from: Self.other, desk)
            #expect(try await desk.answer("guests.list").elements("guests").count == 1)
            #expect(try await desk.answer("join_codes.list").elements("codes").count == 1)
            #expect(try await all.answer("guests.list").elements("guests").count == 2)
        }
    }
}
