import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import NamespaceHandlers
import Testing
import VirtualDevices

/// Rules about apps hold for the built-in receiver and for a real device alike.
@Suite(.timeLimit(.minutes(3))) struct RuleTests {
    @Test(arguments: ["hall", "foyer"])
    func anAppThatMayNotBeStoppedIsNot(device: String) async throws {
        try await ReloadBench.with { _, bench in
            try await TestSender.connect(to: bench.port(device)) { sender in
                let transport = try await sender.launchAndLoad()
                let session = try #require(try await sender.status(requestID: 10).applications.first?.sessionID)
                try await bench.reload { configuration in
                    configuration.routing.rules = [
                        RoutingRule(
                            name: "stays", condition: RoutingCondition(type: ["STOP"], app: ["CC1AD845"]),
                            action: .reject),
                        RoutingRule(
                            name: "quiet",
                            condition: RoutingCondition(namespace: [.exact(.media)], app: ["CC1AD845"]), action: .reject
                        ),
                    ]
                }
                let stops: [JSONObject] = [
                    ["type": "STOP", "sessionId": .string(session)], ["type": "STOP"],
                    ["type": "STOP", "sessionId": "no-such-session"], ["type": "STOP", "sessionId": 5],
                ]
                for (index, stop) in stops.enumerated() {
                    var stop = stop
                    stop["requestId"] = .number(20 + index)
                    try await sender.send(stop, in: .receiver)
                    #expect(try await sender.answer(to: 20 + index)?.string("reason") == "NOT_ALLOWED")
                }
                // What is for all reaches the app too.
                try await sender.send(["type": "PAUSE", "requestId": 30], in: .media, to: .broadcast)
                #expect(try await sender.answer(to: 30)?.string("reason") == "NOT_ALLOWED")
                #expect(try await sender.status(requestID: 31).applications.first?.transportID == transport)
                try await bench.reload { $0.routing.rules = [] }
                try await sender.send(["type": "STOP", "requestId": 32, "sessionId": .string(session)], in: .receiver)
                #expect(try await sender.answer(to: 32)?.string("type") == "RECEIVER_STATUS")
            }
        }
    }
}
