import CastDiscovery
import CastIdentity
import CastwayTestSupport
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import Testing
import VirtualDevices

/// A start with devices that have no keys yet.
@Suite(.timeLimit(.minutes(3))) struct FirstStartTests {
    @Test func aFirstStartSaysHowFarItIs() async throws {
        try await TemporaryFolder.with { folder in
            var configuration = GatewayConfiguration()
            configuration.gateway.stateDirectory = folder.path
            configuration.virtualDevices = (0..<6).map {
                VirtualDeviceConfiguration(
                    name: "device-\($0)", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local)
            }
            let first = LogRecorder()
            _ = try await Gateway(
                configuration: configuration, makeLogger: { first.logger($0) }, network: AbsentNetwork())
            let lines = first.entries(atLeast: .notice)
            #expect(lines.first?.message == "Making the keys of new virtual devices, once and for all")
            #expect(lines.first?.metadata["devices"] == .stringConvertible(6))
            let told = lines.dropFirst().map { "\($0.metadata["made"] ?? "?") of \($0.metadata["devices"] ?? "?")" }
            #expect(told == (1...6).map { "\($0) of 6" })
            let store = try IdentityStore.open(stateDirectory: folder.path)
            #expect(try store.list().map(\.name) == configuration.virtualDevices.map(\.name))
            // One root for all, though they were made at the same time.
            #expect(Set(try store.list().map(\.rootFingerprint)).count == 1)

            let second = LogRecorder()
            _ = try await Gateway(
                configuration: configuration, makeLogger: { second.logger($0) }, network: AbsentNetwork())
            #expect(second.entries(atLeast: .notice).isEmpty)
        }
    }
}
