import CastWire
import DeviceControl
import DeviceSessions
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Testing
import VirtualDevices

@testable import BuiltInReceiver
@testable import GatewaySettings

/// Which app plays what a caller loads who names none.
@Suite(.timeLimit(.minutes(2))) struct LoadLaunchTests {
    private static let other = "0000000A"

    private static func withBench(
        receiverApp: String? = nil, _ body: (DeviceOperationsBench) async throws -> Void
    ) async throws {
        try await DeviceOperationsBench.with(
            { configuration in
                configuration.discovery.receiverApp = receiverApp
                let player = VirtualAppConfiguration(id: Self.other) {
                    $0.player = .simulated
                    $0.options.loadDelay = .zero
                    $0.options.buffering = .zero
                }
                configuration.virtualDevices[0].apps?.append(player)
            }, body)
    }

    private static func load(_ device: String) -> JSONObject {
        ["device": .string(device), "url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4"]
    }

    private static func session(on device: String, _ bench: DeviceOperationsBench) async throws -> JSONObject {
        try await bench.call("session.get", ["session": .string("device:\(device)")])
    }

    @Test(arguments: ["virtual:hall", "real:wall", "virtual:foyer"])
    func theDefaultReceiverIsLaunchedWhereNothingTakesMedia(_ device: String) async throws {
        try await Self.withBench { bench in
            let idle = try await bench.call("media.load", Self.load(device))
            #expect(idle.string("content_url") == "http://192.0.2.1/film.mp4")
            #expect(try await Self.session(on: device, bench).string("app") == "CC1AD845")
            // An app that takes no media gives way.
            try await bench.call("session.start", ["device": .string(device), "app": "ABCD1234"])
            #expect(try await bench.call("media.load", Self.load(device)).string("player_state") == "playing")
        }
    }

    @Test func anAppThatTakesMediaPlays() async throws {
        try await Self.withBench { bench in
            let started = try await bench.call("session.start", ["device": "hall", "app": .string(Self.other)])
            try await bench.call("media.load", Self.load("hall"))
            let session = try await Self.session(on: "virtual:hall", bench)
            #expect(session.string("session_id") == started.string("session_id"))
        }
    }

    @Test func theFileNamesTheApp() async throws {
        try await Self.withBench(receiverApp: Self.other) { bench in
            try await bench.call("media.load", Self.load("hall"))
            #expect(try await Self.session(on: "virtual:hall", bench).string("app") == Self.other)
        }
    }

    @Test func noneHidesNoDevice() {
        var configuration = GatewayConfiguration()
        configuration.discovery.receiverApp = "none"
        #expect(configuration.discoverySettings(ownIDs: []).filter.criteria.apps.isEmpty)
    }

    @Test func noneLaunchesNothing() async throws {
        try await Self.withBench(receiverApp: "none") { bench in
            for device in ["virtual:hall", "real:wall"] {
                #expect(try await bench.problem("media.load", Self.load(device))?.code == "application_not_running")
                try await bench.call("session.start", ["device": .string(device), "app": "ABCD1234"])
                #expect(try await bench.problem("media.load", Self.load(device))?.code == "unsupported_feature")
            }
        }
    }
}
