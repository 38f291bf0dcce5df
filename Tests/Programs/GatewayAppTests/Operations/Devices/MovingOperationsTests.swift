import BuiltInReceiver
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import HandlerKit
import Synchronization
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// What takes more of the far devices than one that plays: a second one, an announcement, breaks, a speaker group.
@Suite(.timeLimit(.minutes(2))) struct MovingOperationsTests {
    /// A speaker group of two, as its platform tells of it.
    private final class SpeakerGroup: MessageHandler {
        let name = "group"
        let claims = [Claim(.exact(.multizone), phase: .filter, types: ["GET_STATUS", "SET_DEVICE_VOLUME"])]
        private let levels = Mutex(["kitchen-1": 0.5, "bath-2": 0.25])

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            let json = message.message.payload.jsonObject ?? [:]
            let levels = self.levels.withLock { levels in
                if let id = json.string("deviceId"), let level = json.object("volume")?.double("level") {
                    levels[id] = level
                }
                return levels
            }
            let devices = levels.sorted { $0.key < $1.key }.map { id, level -> JSONValue in
                [
                    "deviceId": .string(id), "name": .string(String(id.dropLast(2))),
                    "volume": ["level": .number(level), "muted": false],
                ]
            }
            return .reply([
                "type": "MULTIZONE_STATUS", "requestId": json["requestId"] ?? 0,
                "status": ["isMultichannel": false, "devices": .array(devices)],
            ])
        }
    }

    /// Two gateways that are the devices `wall` and `tower` of a third.
    private static func with(
        _ change: (inout SimulationOptions) -> Void = { _ in },
        _ body: (DeviceOperationsBench, _ wall: RunningGateway) async throws -> Void
    ) async throws {
        var device = GatewayConfiguration.hallAndOffice
        var options = SimulationOptions {
            $0.loadDelay = .zero
            $0.buffering = .zero
        }
        change(&options)
        device.virtualDevices[0].apps = [
            VirtualAppConfiguration(id: "CC1AD845") {
                $0.player = .simulated
                $0.options = options
            }
        ]
        try await RunningGateway.with(device) { wall in
            try await RunningGateway.with(device) { tower in
                var configuration = GatewayConfiguration.hallAndOffice
                configuration.discovery.staticDevices = [("wall", wall), ("tower", tower)].map {
                    StaticDevice(name: $0.0, address: DialAddress(host: "127.0.0.1", port: $0.1.port("hall")))
                }
                try await RunningGateway.with(configuration) { near in
                    try await body(DeviceOperationsBench(running: near, far: tower), wall)
                }
            }
        }
    }

    @Test func aSessionMovesToAnotherDevice() async throws {
        try await Self.with { bench, _ in
            let playing = try await bench.play(on: "wall", ["position": 30])
            let session = try #require(playing["session_id"])
            let changes = bench.running.gateway.events.subscribe { event in
                if case .castSession(let facts, _) = event { facts.device == "tower" } else { false }
            }
            let moved = try await bench.call("session.transfer", ["session": session, "to": "real:tower"])
            #expect(moved.string("device") == "tower")
            // It goes on there, which is no start.
            var told: [CastSessionChange] = []
            for await event in changes.events {
                guard case .castSession(let facts, let change) = event else { continue }
                #expect(facts.previousDevice == "wall")
                told.append(change)
                if change == .didResume(.transfer) { break }
            }
            #expect(told.first == .willResume(.transfer) && !told.contains(.didStart), "\(told)")
            #expect(moved.string("way") == "resumed" && moved.bool("stopped") == true)
            let there = try await bench.call("media.status", ["device": "tower"])
            #expect(there.string("content_url") == "http://192.0.2.1/film.mp4")
            #expect(there.double("position") ?? 0 >= 30)
            let sessions = try await bench.call("sessions.list", [:]).array("sessions")
            #expect(sessions?.compactMap { $0.objectValue?.string("device") } == ["tower"])
            // To a virtual device, or one that is not there, nothing moves.
            let id = try #require(there["session_id"])
            #expect(try await bench.problem("session.transfer", ["session": id, "to": "hall"])?.code == "not_real")
            #expect(try await bench.problem("session.transfer", ["session": id, "to": "x"])?.code == "unknown_device")
        }
    }

    @Test func aCallerGoesOnWithWhatPlays() async throws {
        try await Self.with { bench, _ in
            let none = try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])
            let id = try #require(none["id"])
            #expect(try await bench.problem("session.hand_over", ["session": id])?.code == "not_transferable")
            #expect(try await bench.problem("session.handed_over", ["session": id])?.code == "not_handed_over")
            try await bench.play(on: "wall", ["position": 30])
            let given = try await bench.call("session.hand_over", ["session": id])
            let load = given.object("state")?.object("loadRequestData")
            #expect(load?.double("currentTime") ?? 0 >= 30, "\(given)")
            #expect(given.bool("of_app") == true)
            // The device plays on, and goes on when the caller does not.
            #expect(try await bench.call("media.status", ["device": "wall"]).string("player_state") == "playing")
            let back = try await bench.call("session.handed_over", ["session": id, "taken": false])
            #expect(back.bool("stopped") == false && back.bool("restored") == false)
            #expect(try await bench.problem("session.handed_over", ["session": id])?.code == "not_handed_over")
            // What has ended meanwhile is loaded again.
            try await bench.call("session.hand_over", ["session": id])
            try await bench.call("media.stop", ["device": "wall"])
            let restored = try await bench.call("session.handed_over", ["session": id, "taken": false])
            #expect(restored.bool("restored") == true)
            #expect(try await bench.call("media.status", ["device": "wall"]).double("position") ?? 0 >= 30)
            // The caller plays, so the device stops.
            try await bench.call("session.hand_over", ["session": id])
            let taken = try await bench.call("session.handed_over", ["session": id])
            #expect(taken.bool("stopped") == true && taken.string("state") == "disconnected")
            #expect(try await bench.call("sessions.list", [:]).array("sessions") == [])
        }
    }

    @Test func anAnnouncementPlaysInBetween() async throws {
        try await Self.with({ $0.defaultDuration = .milliseconds(200) }) { bench, _ in
            try await bench.call("volume.set", ["device": "wall", "level": 0.25])
            let playing = try await bench.play(on: "wall", ["position": 30])
            let session = try #require(playing["session_id"])
            let result = try await bench.call(
                "session.announce",
                ["session": session, "url": "http://192.0.2.1/gong.mp3", "content_type": "audio/mpeg", "level": 0.75])
            #expect(result.string("end") == "played", "\(result)")
            #expect(result.bool("media_restored") == true && result.bool("volume_restored") == true)
            #expect(result.array("failures") == [])
            let after = try await bench.call("media.status", ["device": "wall"])
            #expect(after.string("content_url") == "http://192.0.2.1/film.mp4")
            #expect(after.double("position") ?? 0 >= 30)
            #expect(try await bench.call("volume.get", ["device": "wall"]).double("level") == 0.25)
        }
    }

    @Test(arguments: ["wall", "hall"]) func anAdIsSkipped(_ device: String) async throws {
        try await Self.with { bench, _ in
            try await bench.play(
                on: device,
                [
                    "breaks": [["id": "b1", "position": 0, "breakClipIds": ["c1"], "isWatched": false]],
                    "break_clips": [["id": "c1", "duration": 300, "whenSkippable": 0]],
                ])
            let before = try await bench.call("media.status", ["device": .string(device), "whole": true])
            #expect(before.object("status")?.object("breakStatus")?.string("breakClipId") == "c1", "\(before)")
            let after = try await bench.call("media.skip_ad", ["device": .string(device)])
            #expect(after.string("player_state") == "playing", "\(after)")
            let status = try await bench.call("media.status", ["device": .string(device), "whole": true])
            #expect(status.object("status")?["breakStatus"]?.objectValue?.string("breakClipId") == nil, "\(status)")
        }
    }

    @Test func aMemberOfAGroupIsMadeLouder() async throws {
        try await Self.with { bench, wall in
            try wall.gateway.registry.register(SpeakerGroup())
            let group = try await bench.call("volume.get", ["device": "wall", "members": true])
            #expect(group.array("members")?.compactMap { $0.objectValue?.string("id") } == ["bath-2", "kitchen-1"])
            let louder = try await bench.call(
                "volume.set", ["device": "wall", "member": "kitchen-1", "level": 0.75])
            #expect(louder.double("level") == 0.75)
            let by = try await bench.call("volume.set", ["device": "wall", "member": "bath-2", "by": 0.25])
            #expect(by.double("level") == 0.5)
            let members = by.array("members")?.compactMap { $0.objectValue?.double("level") }
            #expect(members == [0.5, 0.75])
            let unknown = try await bench.problem("volume.set", ["device": "wall", "member": "attic-3", "level": 1])
            #expect(unknown?.code == "unknown_member")
        }
    }
}
