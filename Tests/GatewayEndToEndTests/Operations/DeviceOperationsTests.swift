import CastWire
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// The operations on devices and senders, at a gateway with a device behind it that another one plays.
@Suite(.timeLimit(.minutes(3))) struct DeviceOperationsTests {
    @Test func devicesAreListedWithWhatRunsOnThem() async throws {
        try await ReloadBench.with { _, bench in
            let call = OperationBench(bench.running)
            let idle = try await call.answer("devices.list")
            #expect(idle.names("virtual_devices") == ["hall", "office", "foyer"])
            #expect(idle.names("devices") == ["wall"])
            #expect(idle.elements("devices").first?.string("state") == "online")
            #expect(idle.elements("virtual_devices").allSatisfy { $0.elements("apps").isEmpty })
            try await TestSender.connect(to: bench.port("foyer")) { sender in
                _ = try await sender.launchAndLoad()
                let playing = try await call.answer("device.get", ["device": "foyer"])
                #expect(playing.string("kind") == "virtual")
                let device = try #require(playing.object("virtual_device"))
                #expect(device.bool("target_online") == true)
                #expect(device.int("senders") == 1)
                #expect(device.elements("connected").first?.array("apps")?.first?.stringValue == "CC1AD845")
                let app = try #require(device.elements("apps").first)
                let media = try #require(app.object("media"))
                #expect(media.string("player_state") == "playing")
                #expect(media["duration"]?.doubleValue == 60)
                #expect(app.int("since") != nil && media.int("since") != nil)
                // The same runs on the device behind it.
                let wall = try #require(try await call.answer("device.get", ["device": "wall"]).object("device"))
                #expect(wall.elements("apps").first?.string("session_id") == app.string("session_id"))
                #expect(wall.array("virtual_devices")?.first?.stringValue == "foyer")
                #expect(wall.int("since") != nil)
            }
        }
    }

    @Test func devicesAnswerProbes() async throws {
        try await ReloadBench.with { _, bench in
            let call = OperationBench(bench.running)
            for (device, kind) in [("hall", "virtual"), ("foyer", "virtual"), ("wall", "real"), ("real:wall", "real")] {
                let answer = try await call.answer("device.probe", ["device": .string(device)])
                #expect(answer.string("kind") == kind)
                #expect(answer.object("status")?.object("volume") != nil, "\(device)")
                #expect(answer["milliseconds"]?.doubleValue ?? 0 > 0)
            }
            #expect(try await call.problem("device.probe", ["device": "attic"]).code == "unknown_device")
            #expect(try await call.problem("device.probe", ["device": "virtual:wall"]).code == "unknown_device")
        }
    }

    @Test func aDeviceThatIsOffIsTold() async throws {
        var configuration = GatewayConfiguration.hallAndOffice
        // Nothing listens on the port of `discard`.
        configuration.discovery.staticDevices = [
            StaticDevice(name: "attic", address: DialAddress(host: "127.0.0.1", port: 9))
        ]
        try await RunningGateway.with(configuration, awaitsDevices: false) { try await Self.expectAttic(isOffIn: $0) }
    }

    private static func expectAttic(isOffIn running: RunningGateway) async throws {
        let losses = running.gateway.events.subscribe { if case .deviceOffline = $0 { true } else { false } }
        let call = OperationBench(running)
        var device = try await Self.realDevice("attic", call)
        if device["reason"] == nil {
            _ = await losses.events.first { _ in true }
            device = try await Self.realDevice("attic", call)
        }
        #expect(device.string("state") == "offline")
        #expect(device["reason"] != nil)
        let problem = try await call.problem("device.probe", ["device": "attic"])
        #expect(problem.code == "device_not_connected")
        let warnings = try await call.answer("gateway.status").elements("warnings")
        let warning = try #require(warnings.first { $0.string("device") == "attic" })
        #expect(warning.string("code") == "device_offline")
        #expect(warning.int("since") == device.int("since"))
    }

    @Test func virtualDevicesLaunchAndStop() async throws {
        try await ReloadBench.with { _, bench in
            let call = OperationBench(bench.running)
            for name in ["hall", "foyer"] {
                let device: JSONObject = ["device": .string(name)]
                #expect(try await call.problem("virtual_device.stop", device).code == "invalid_state")
                let launched = try await call.answer(
                    "virtual_device.launch", ["device": .string(name), "app": "CC1AD845", "params": ["a": 1]])
                #expect(launched.object("app")?.string("app") == "CC1AD845")
                let shown = try await call.answer("virtual_device.get", device)
                #expect(
                    shown.elements("apps").first?.string("session_id") == launched.object("app")?.string("session_id"))
                let stopped = try await call.answer("virtual_device.stop", device)
                #expect(stopped.object("app")?.string("session_id") == launched.object("app")?.string("session_id"))
                #expect(try await call.answer("virtual_device.get", device).elements("apps").isEmpty)
            }
            let refused = try await call.problem("virtual_device.launch", ["device": "hall", "app": "00000001"])
            #expect(refused.code == "not_allowed")
            #expect(refused.members.string("reason") == "NOT_ALLOWED")
            let missing = try await call.problem("virtual_device.launch", ["device": "hall", "app": "DEADBEEF"])
            #expect(missing.code == "application_not_found")
            let wrong = try await call.problem("virtual_device.launch", ["device": "hall", "app": "CC1AD84"])
            #expect(wrong.code == "invalid_input" || wrong.code == "application_not_found")
        }
    }

    /// What happens at the device itself reaches its senders, and a gateway that relays to it.
    @Test func whatHappensAtADeviceIsTold() async throws {
        try await ReloadBench.with { far, bench in
            let (call, there) = (OperationBench(bench.running), OperationBench(far))
            try await TestSender.connect(to: bench.port("foyer")) { sender in
                _ = try await sender.launchAndLoad()
                let answer = try await there.answer("virtual_device.simulate", ["device": "hall", "key": "pause"])
                #expect(answer.elements("apps").first?.object("media")?.string("player_state") == "paused")
                let told = try await sender.receive { message in
                    let status = message.payload.jsonObject?.array("status")?.first?.objectValue
                    return message.namespace == .media && status?.string("playerState") == "PAUSED"
                }
                #expect(told?.payload.jsonObject?.int("requestId") == 0)
            }
            let input: JSONObject = ["device": "foyer", "key": "pause"]
            #expect(try await call.problem("virtual_device.simulate", input).code == "unsupported_feature")
            let nothing: JSONObject = ["device": "office", "end_of_item": true]
            #expect(try await call.problem("virtual_device.simulate", nothing).code == "application_not_running")
            let both: JSONObject = ["device": "hall", "key": "pause", "standby": true]
            #expect(try await there.problem("virtual_device.simulate", both).code == "invalid_input")
        }
    }

    @Test func sendersAreListedAndDisconnected() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let call = OperationBench(running)
            #expect(try await call.answer("senders.list").elements("senders").isEmpty)
            try await TestSender.connect(to: running.port("hall")) { first in
                try await first.send(
                    [
                        "type": "CONNECT", "userAgent": "Tester/1.0",
                        "senderInfo": ["model": "Pixel 9", "sdkType": 2],
                    ], in: .connection)
                try await first.send(["type": "GET_STATUS", "requestId": 1], in: .receiver)
                _ = try await first.answer(to: 1)
                try await TestSender.connect(to: running.port("office")) { second in
                    _ = try await second.connectPlatform()
                    let senders = try await call.answer("senders.list").elements("senders")
                    #expect(senders.map { $0.string("device") } == ["hall", "office"])
                    let sender = try #require(senders.first)
                    #expect(sender.string("name") == "Pixel 9")
                    #expect(sender.string("user_agent") == "Tester/1.0")
                    #expect(sender.string("address") == "127.0.0.1")
                    #expect(sender.bool("throttled") == false)
                    let id = try #require(sender["id"])
                    #expect(
                        try await call.problem("virtual_device.disconnect", ["device": "office", "sender": id]).code
                            == "unknown_sender")
                    let gone = try await call.answer("virtual_device.disconnect", ["device": "hall", "sender": id])
                    #expect(gone.elements("senders").count == 1)
                    try await first.closed()
                    let all = try await call.answer(
                        "virtual_device.disconnect", ["device": "office", "address": "127.0.0.1"])
                    #expect(all.elements("senders").count == 1)
                    try await second.closed()
                }
            }
            for input: JSONObject in [
                ["device": "hall"], ["device": "hall", "sender": "c1", "address": "127.0.0.1"],
            ] {
                #expect(try await call.problem("virtual_device.disconnect", input).code == "invalid_input")
            }
        }
    }

    @Test func whoIsLimitedSeesTheirOwnDevices() async throws {
        try await ReloadBench.with { _, bench in
            try await TestSender.connect(to: bench.port("hall")) { sender in
                _ = try await sender.connectPlatform()
                let call = OperationBench(bench.running, as: OperationBench.guest(of: "foyer", "wal*"))
                let devices = try await call.answer("devices.list")
                #expect(devices.names("virtual_devices") == ["foyer"])
                #expect(devices.names("devices") == ["wall"])
                #expect(try await call.answer("senders.list").elements("senders").isEmpty)
                let status = try await call.answer("gateway.status")
                #expect(status.names("virtual_devices") == ["foyer"])
                #expect(status["plugins"] == nil)
                #expect(status.elements("warnings").isEmpty)
                for (name, input): (OperationName, JSONObject) in [
                    ("device.get", ["device": "hall"]), ("device.get", ["device": "nowhere"]),
                    ("device.probe", ["device": "virtual:hall"]), ("virtual_device.get", ["device": "hall"]),
                    ("virtual_device.launch", ["device": "hall", "app": "CC1AD845"]),
                    ("virtual_device.stop", ["device": "hall"]),
                    ("virtual_device.disconnect", ["device": "hall", "address": "127.0.0.1"]),
                    ("route.explain", ["device": "hall", "namespace": "urn:x-cast:com.google.cast.media"]),
                    ("discovery.stop", [:]), ("log.get", [:]), ("credentials.list", [:]), ("gateway.health", [:]),
                ] {
                    #expect(try await call.problem(name, input).code == "device_not_allowed", "\(name)")
                }
            }
        }
    }

    @Test func aNameOfTwoDevicesIsAmbiguous() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.discovery.staticDevices = [
                StaticDevice(name: "hall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
            ]
            try await RunningGateway.with(configuration) { running in
                let call = OperationBench(running)
                let problem = try await call.problem("device.get", ["device": "hall"])
                #expect(problem.code == "ambiguous_device")
                let real = try await call.answer("device.get", ["device": "real:hall"])
                #expect(real.string("kind") == "real")
                let virtual = try await call.answer("device.get", ["device": "virtual:hall"])
                #expect(virtual.string("kind") == "virtual")
            }
        }
    }

    private static func realDevice(_ name: String, _ call: OperationBench) async throws -> JSONObject {
        let answer = try await call.answer("device.get", ["device": .string(name)])
        return try #require(answer.object("device"))
    }
}
