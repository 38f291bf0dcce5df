import CastWire
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import NamespaceHandlers
import Testing

/// Webhooks that are asked before an app is launched, in a gateway that runs.
@Suite(.timeLimit(.minutes(2))) struct LaunchCheckTests {
    private static func launch(on port: Int) async throws -> JSONObject? {
        try await TestSender.connect(to: port) { sender in
            _ = try await sender.connectPlatform()
            try await sender.send(["type": "LAUNCH", "requestId": 7, "appId": "CC1AD845"], in: .receiver)
            return try await sender.answer(to: 7)
        }
    }

    /// No webhook of that name is there, so that the question has no answer.
    @Test func aReloadPutsThemInForceAndTakesThemAway() async throws {
        try await ReloadBench.with { _, bench in
            func told(_ change: (inout GatewayConfiguration) -> Void) async throws -> String? {
                try await bench.reload(change)
                return try await Self.launch(on: bench.port("hall"))?.string("type")
            }
            let refused = try await told { $0.launch.checks = [LaunchCheck(webhook: "none")] }
            #expect(refused == "LAUNCH_ERROR")
            let elsewhere = try await told {
                $0.launch.checks = [LaunchCheck(webhook: "none") { $0.devices = [Glob("room-*")] }]
            }
            #expect(elsewhere == "RECEIVER_STATUS")
            let open = try await told { $0.launch.checks = [LaunchCheck(webhook: "none") { $0.onFailure = .open }] }
            #expect(open == "RECEIVER_STATUS")
            let without = try await told { _ in }
            #expect(without == "RECEIVER_STATUS")
        }
    }
}
