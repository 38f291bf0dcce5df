import CastWire
import CastwayTestSupport
import ControlAPI
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import GatewayTesting
import NamespaceHandlers
import Testing
import VirtualDevices

/// What cannot be put in force changes nothing.
@Suite(.timeLimit(.minutes(3))) struct ReloadFailureTests {
    @Test func aTakenAddressUndoesEverything() async throws {
        try await ReloadBench.with { other, bench in
            let old = bench.running.gateway.endpoints
            let failed = bench.running.gateway.events.subscribe { $0.name == "config.reload_failed" }
            let free = try FreePort.next()
            var configuration = bench.configuration
            configuration.virtualDevices[0].listen = ListenAddress(host: "127.0.0.1", port: free)
            configuration.virtualDevices[0].friendlyName = "Renamed"
            configuration.virtualDevices.insert(
                VirtualDeviceConfiguration(name: "annex", listen: ReloadBench.anywhere, target: .local), at: 0)
            configuration.virtualDevices.append(
                VirtualDeviceConfiguration(
                    name: "late", listen: ListenAddress(host: "127.0.0.1", port: other.port("hall")), target: .local))
            try await TestSender.connect(to: bench.port("hall")) { sender in
                let transport = try await sender.launchAndLoad()
                let outcome = await bench.running.gateway.reload(to: configuration)
                guard case .failure(let failure) = outcome else {
                    Issue.record("reloaded")
                    return
                }
                #expect(failure.error.code == .reloadFailed)
                #expect(failure.description.hasPrefix("virtual device 'late' cannot listen on 127.0.0.1:"))
                #expect(failure.description.contains("Address already in use"))
                for await _ in failed.events { break }
                #expect(bench.running.gateway.endpoints == old)
                #expect(bench.running.gateway.configuration == bench.configuration)
                #expect(try await sender.status(requestID: 10).applications.first?.transportID == transport)
            }
            #expect(await ReloadBench.isRefused(free))
            // And the next one works.
            configuration.virtualDevices.removeLast()
            _ = try await bench.running.gateway.reload(to: configuration).get()
            #expect(try bench.port("hall") == free)
        }
    }

    @Test func whatTakesARestartIsNamed() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            var configuration = running.gateway.configuration
            configuration.gateway.id = "other"
            configuration.admin.listen = .off
            configuration.virtualDevices[0].friendlyName = "Renamed"
            let outcome = await running.gateway.reload(to: configuration)
            guard case .failure(let failure) = outcome else {
                Issue.record("reloaded")
                return
            }
            #expect(failure.error.code == .restartRequired)
            #expect(failure.description == "these keys take a restart: gateway.id, admin.listen")
            #expect(running.gateway.configuration.virtualDevices[0].friendlyName == "hall")
        }
    }

    @Test func handlersOfOthersStay() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let own = FunctionHandler("own", [Claim(.exact("urn:x-cast:com.example.own"))]) { _, _ in .pass }
            try running.gateway.registry.register(own)
            var configuration = running.gateway.configuration
            configuration.channels = []
            _ = try await running.gateway.reload(to: configuration).get()
            let names = running.gateway.registry.table.entries.map(\.handler.name)
            #expect(names.contains("own"))
            #expect(!names.contains { $0.hasPrefix("channel") })
            // A channel that a handler of others' holds already is refused, and with it the whole reload.
            configuration.channels = [ChannelConfiguration(namespace: "urn:x-cast:com.example.own", handler: .echo)]
            // A dry run says the same as the reload.
            for isDryRun in [true, false] {
                let outcome = await running.gateway.reload(to: configuration, isDryRun: isDryRun)
                guard case .failure(let failure) = outcome else {
                    Issue.record("reloaded")
                    return
                }
                #expect(failure.error.code == .reloadFailed)
            }
            #expect(running.gateway.registry.table.entries.map(\.handler.name) == names)
        }
    }

    @Test func aDryRunChangesNothing() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            var configuration = running.gateway.configuration
            configuration.virtualDevices.removeLast()
            let plan = try await running.gateway.reload(to: configuration, isDryRun: true).get()
            #expect(plan.changes.map(\.description) == ["virtual_devices.office (listener, removed)"])
            #expect(running.gateway.endpoints.map(\.name) == ["hall", "office"])
        }
    }

    @Test func aGatewayWithoutAFileSaysSo() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            guard case .failure(.unavailable(let reason)) = await running.gateway.reload() else {
                Issue.record("reloaded")
                return
            }
            #expect(reason.contains("without a file"))
        }
    }
}
