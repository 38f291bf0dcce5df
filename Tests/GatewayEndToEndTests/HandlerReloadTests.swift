import BuiltInReceiver
import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import NamespaceHandlers
import Testing
import VirtualDevices

/// `handlers` in a gateway that runs: what is off is off at once, and what `apps` says holds without any handler.
@Suite(.timeLimit(.minutes(3))) struct HandlerReloadTests {
    @Test func withAllHandlersOffAppsOfARelayHold() async throws {
        try await ReloadBench.with { _, bench in
            let foyer = try bench.index("foyer")
            try await TestSender.connect(to: bench.port("foyer")) { sender in
                _ = try await sender.connectPlatform()
                let plan = try await bench.reload { configuration in
                    configuration.handlers = HandlersConfiguration([])
                    configuration.virtualDevices[foyer].apps = [VirtualAppConfiguration(id: "CC1AD845")]
                }
                #expect(plan.changes.map(\.description).contains("handlers (hot)"))
                let handlers = bench.running.gateway.registry.summaries
                #expect(handlers.filter(\.isEnabled).map(\.name) == ["casting log"])
                try await sender.send(["type": "LAUNCH", "requestId": 20, "appId": "ABCD1234"], in: .receiver)
                #expect(try await sender.answer(to: 20)?.string("reason") == "NOT_FOUND")
                try await sender.send(["requestId": 21, "appId": "ABCD1234"], in: .receiver)
                #expect(try await sender.answer(to: 21)?.string("type") == "INVALID_REQUEST")
                try await sender.send(["type": "LAUNCH", "requestId": 22, "appId": "CC1AD845"], in: .receiver)
                #expect(try await sender.answer(to: 22)?.string("type") == "RECEIVER_STATUS")
            }
        }
    }

    /// The same connection all the time; a handler comes and goes.
    @Test func aHandlerIsTurnedOffAndOn() async throws {
        try await ReloadBench.with { _, bench in
            try await TestSender.connect(to: bench.port("foyer")) { sender in
                _ = try await sender.connectPlatform()
                try await sender.send(["type": "GET_DEVICE_INFO", "requestId": 20], in: .discovery)
                let own = try #require(try await sender.answer(to: 20)?.string("deviceId"))
                // Without the handler the device behind answers for itself.
                try await bench.reload {
                    $0.handlers = HandlersConfiguration([HandlerSelection(.setup) { $0.devices = ["hall"] }])
                }
                try await sender.send(["type": "GET_DEVICE_INFO", "requestId": 21], in: .discovery)
                let real = try #require(try await sender.answer(to: 21)?.string("deviceId"))
                #expect(real != own)
                try await bench.reload()
                try await sender.send(["type": "GET_DEVICE_INFO", "requestId": 22], in: .discovery)
                #expect(try await sender.answer(to: 22)?.string("deviceId") == own)
            }
        }
    }
}
