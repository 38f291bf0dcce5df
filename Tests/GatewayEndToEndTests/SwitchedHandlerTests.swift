import BuiltInReceiver
import CastWire
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// What holds whichever handlers are off.
@Suite(.timeLimit(.minutes(3))) struct SwitchedHandlerTests {
    @Test(arguments: ["receiver", "media", "multizone", "setup"])
    func noSwitchLetsAForbiddenLaunchThrough(_ handler: String) async throws {
        try await ReloadBench.with { _, bench in
            let foyer = try bench.index("foyer")
            try await bench.reload { $0.virtualDevices[foyer].apps = [VirtualAppConfiguration(id: "ABCD1234")] }
            let registry = bench.running.gateway.registry
            try await TestSender.connect(to: bench.port("foyer")) { sender in
                _ = try await sender.connectPlatform()
                for (index, isOn) in [false, true, false].enumerated() {
                    registry.setEnabled(isOn, handler)
                    let answers = try await Self.answers(
                        to: ["CC1AD845", "233637DE", 5], from: 10 * (index + 1), sender)
                    #expect(answers == ["LAUNCH_ERROR", "LAUNCH_ERROR", "LAUNCH_ERROR"])
                }
            }
        }
    }

    /// The types of what is answered to launches of apps.
    private static func answers(
        to apps: [JSONValue], from firstID: Int, _ sender: TestSender
    ) async throws -> [String?] {
        var answers: [String?] = []
        for (index, app) in apps.enumerated() {
            let id = firstID + index
            try await sender.send(
                ["type": "LAUNCH", "requestId": .number(id), "appId": app], in: .receiver)
            answers.append(try await sender.answer(to: id)?.string("type"))
        }
        return answers
    }
}
