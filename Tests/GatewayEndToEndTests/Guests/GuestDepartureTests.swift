import CastDiscovery
import CastIdentity
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import NIOCore
import NIOPosix
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings
@testable import GuestAccess

/// What guests leave playing on a device that is out of reach.
@Suite(.timeLimit(.minutes(3))) struct GuestDepartureTests {
    private static let guest = "127.0.0.21"

    /// A gateway whose `room-12` asks for a join code and plays on `tv`, which is at a port.
    private func with<Result: Sendable>(
        tvAt port: Int, isThere: Bool = true, _ folder: TemporaryFolder, _ body: (RunningGateway) async throws -> Result
    ) async throws -> Result {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "room-12", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("tv"))
            ]
        }
        configuration.virtualDevices[0].join = .required
        configuration.shutdown.drain = .zero
        configuration.gateway.stateDirectory = folder.path
        configuration.discovery.staticDevices = [
            StaticDevice(name: "tv", address: DialAddress(host: "127.0.0.1", port: port))
        ]
        let made = configuration
        let gateway = try await RunningGateway.sharingKeys {
            try await Gateway(configuration: made, network: AbsentNetwork())
        }
        return try await RunningGateway.with(gateway, awaitsDevices: isThere, body: body)
    }

    /// A port at which connections are taken and nothing is ever said.
    private func withSilentPort(_ body: (Int) async throws -> Void) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(server.localAddress?.port ?? 0)
        } catch {
            try? await server.close()
            throw error
        }
        try await server.close()
    }

    private func session(_ device: String, _ running: RunningGateway) async -> String? {
        await running.gateway.running.overview(of: device)?.apps.first?.facts.sessionID
    }

    /// A guest joins `room-12` and plays there.
    /// - Returns: the guest, and the device's id of the session.
    private func play(_ near: RunningGateway) async throws -> (guest: String, session: String) {
        let bench = OperationBench(near)
        let made = try await bench.answer("join_code.create", ["devices": ["room-12"]])
        let guest = try await bench.answer(
            "join_code.redeem", ["code": made["code"] ?? "", "address": .string(Self.guest)])
        try await TestSender.connect(to: near.port("room-12"), from: Self.guest) { _ = try await $0.launchAndLoad() }
        let session = await self.session("room-12", near)
        return (try #require(guest.string("id")), try #require(session))
    }

    /// Has a guest check out whose device does not answer.
    private func checkOut(_ guest: String, _ near: RunningGateway) async throws {
        let left = try await OperationBench(near).answer("guest.check_out", ["guest": .string(guest)])
        let said = try #require(left.elements("guests").first)
        #expect(said.int("unstopped") == 1 && said.array("stopped") == [], "\(said)")
    }

    /// A guest checks out while the device is out of reach, the gateway is restarted, and the device comes back.
    @Test func whatPlaysStopsWhenTheDeviceIsBackAfterARestart() async throws {
        try await RunningGateway.with(.hallAndOffice) { far in try await self.leaveAndRestart(far) }
    }

    private func leaveAndRestart(_ far: RunningGateway) async throws {
        let folder = try TemporaryFolder()
        let tv = far.port("hall")
        let played = try await self.with(tvAt: tv, folder) { try await self.play($0) }
        // Written down by another thread, maybe later than now.
        try JoinStore(IdentityStore.open(stateDirectory: folder.path).database)
            .add(GuestSession(device: "room-12", session: played.session), of: played.guest)
        let before = await self.session("hall", far)
        #expect(before != nil, "the device plays on without the gateway")
        try await self.withSilentPort { port in
            try await self.with(tvAt: port, isThere: false, folder) { try await self.checkOut(played.guest, $0) }
        }
        let meanwhile = await self.session("hall", far)
        #expect(meanwhile == before)
        let ends = far.gateway.events.subscribe { event in
            if case .sessionEnded(let device, _, _, _, _) = event { device == "hall" } else { false }
        }
        try await self.with(tvAt: tv, folder) { _ in
            for await _ in ends.events { break }
        }
        let after = await self.session("hall", far)
        #expect(after == nil)
    }
}
