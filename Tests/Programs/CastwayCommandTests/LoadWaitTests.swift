import BuiltInReceiver
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// `castway cast load` ends when the media play, as its help says, and says why when they do not.
@Suite(.timeLimit(.minutes(3))) struct LoadWaitTests {
    private func load(
        _ url: String, _ arguments: String..., options: SimulationOptions
    ) async throws -> CastwayProcess.Result {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.virtualDevices[0].apps?[0].options = options
        return try await RunningGateway.with(configuration) { gateway in
            let address = "127.0.0.1:\(gateway.port("hall"))"
            return await (try CastwayProcess(["cast", address, "load", url] + arguments)).result()
        }
    }

    private static let slow = SimulationOptions {
        $0.loadDelay = .zero
        $0.buffering = .milliseconds(400)
    }

    @Test func itWaitsForPlayback() async throws {
        let loaded = try await self.load("http://192.0.2.9/one.mp4", "--title", "One", options: Self.slow)
        #expect(loaded.status == 0)
        #expect(loaded.output.contains("state   PLAYING 0:00 of 10:00\ntitle   One\n"))
        let json = try await self.load("http://192.0.2.9/one.mp4", "--format", "json", options: Self.slow)
        let status = try JSONReader.read(json.output).objectValue?.array("status")?.first?.objectValue
        #expect(status?.string("playerState") == "PLAYING")
    }

    @Test func withoutAutoplayItWaitsForThePause() async throws {
        let loaded = try await self.load("http://192.0.2.9/one.mp4", "--no-autoplay", options: Self.slow)
        #expect(loaded.status == 0)
        #expect(loaded.output.contains("state   PAUSED 0:00 of 10:00\n"))
    }

    @Test func theTimeIsBounded() async throws {
        let endless = SimulationOptions {
            $0.loadDelay = .zero
            $0.buffering = .seconds(3600)
        }
        let loaded = try await self.load("http://192.0.2.9/one.mp4", "--timeout", "1s", options: endless)
        #expect(loaded.status == 75)
        #expect(loaded.errors == "castway: the media is loaded, and still BUFFERING after 1s\n")
    }
}
