import CastClient
import CastWire
import CastwayTestSupport
import DeviceSessions
import Foundation
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// A gateway is gone, in order or not, and another takes its sessions up while media plays on.
@Suite(.timeLimit(.minutes(3))) struct SessionAdoptionTests {
    private func configuration(relayingTo port: Int, state: String) -> GatewayConfiguration {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "foyer", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("wall"))
            ]
        }
        configuration.discovery.staticDevices = [
            StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: port))
        ]
        configuration.gateway.stateDirectory = state
        configuration.shutdown.drain = .zero
        return configuration
    }

    private func change(in events: EventSubscription) async -> CastSessionChange? {
        for await event in events.events {
            if case .castSession(_, let change) = event { return change }
        }
        return nil
    }

    /// Starts a gateway on the state and expects that it takes the session up by itself.
    private func expectAdoption(
        _ configuration: GatewayConfiguration, of sessionID: String?, at hall: RunningGateway
    ) async throws {
        let gateway = try await RunningGateway.sharingKeys {
            try await Gateway(configuration: configuration, makeLogger: { LogRecorder().logger($0) })
        }
        let events = gateway.events.subscribe()
        let began = ContinuousClock.now
        try await RunningGateway.with(gateway) { _ in
            #expect(await self.change(in: events) == .didSuspend(.appTerminated))
            #expect(await self.change(in: events) == .willResume(.restart))
            #expect(await self.change(in: events) == .didResume(.restart))
            #expect(ContinuousClock.now - began < .seconds(10), "two seconds on a machine that does nothing else")
            let session = try #require(await gateway.deviceSessions.currentSession(device: "wall"))
            #expect(try await session.facts.sessionID == sessionID)
            try await session.end(.leave)
        }
        _ = hall
    }

    @Test func afterAnOrderlyEnd() async throws {
        let folder = try TemporaryFolder()
        try await RunningGateway.with(.hallAndOffice) { hall in
            let configuration = self.configuration(relayingTo: hall.port("hall"), state: folder.path)
            try await TestSender.connect(to: hall.port("hall")) { witness in
                let transport = try await witness.launchAndLoad()
                let before = try await witness.playback(at: transport, requestID: 30)
                let sessionID = try await RunningGateway.with(configuration) { near in
                    let session = try await near.gateway.deviceSessions.startSession(
                        device: "wall", app: .defaultMediaReceiver)
                    return try await session.facts.sessionID
                }
                try await self.expectAdoption(configuration, of: sessionID, at: hall)
                let after = try await witness.playback(at: transport, requestID: 31)
                #expect(after.session == before.session)
            }
        }
        withExtendedLifetime(folder) {}
    }

    /// What a gateway has on disk at any moment is enough for the next one: its state is copied while it runs, as it would
    /// be left by a kill or a loss of power.
    @Test func afterAKill() async throws {
        let folder = try TemporaryFolder()
        let copy = try TemporaryFolder()
        try await RunningGateway.with(.hallAndOffice) { hall in
            try await TestSender.connect(to: hall.port("hall")) { witness in
                let transport = try await witness.launchAndLoad()
                let configuration = self.configuration(relayingTo: hall.port("hall"), state: folder.path)
                let sessionID = try await RunningGateway.with(configuration) { near in
                    let session = try await near.gateway.deviceSessions.startSession(
                        device: "wall", app: .defaultMediaReceiver)
                    await near.gateway.deviceSessions.settleRecords()
                    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    where file.hasPrefix("castway.db") {
                        try FileManager.default.copyItem(
                            atPath: folder.file(file), toPath: copy.file(file))
                    }
                    return try await session.facts.sessionID
                }
                try await self.expectAdoption(
                    self.configuration(relayingTo: hall.port("hall"), state: copy.path), of: sessionID, at: hall)
                #expect(try await witness.playback(at: transport, requestID: 41).session != nil)
            }
        }
        withExtendedLifetime((folder, copy)) {}
    }

    @Test func notIfThatIsNotWanted() async throws {
        let folder = try TemporaryFolder()
        try await RunningGateway.with(.hallAndOffice) { hall in
            var configuration = self.configuration(relayingTo: hall.port("hall"), state: folder.path)
            try await RunningGateway.with(configuration) { near in
                _ = try await near.gateway.deviceSessions.startSession(device: "wall", app: .defaultMediaReceiver)
            }
            configuration.sessions.restoresOnStart = false
            try await RunningGateway.with(configuration) { near in
                #expect(await near.gateway.deviceSessions.currentSession(device: "wall") == nil)
            }
            configuration.sessions.restoresOnStart = true
            try await RunningGateway.with(configuration) { near in
                #expect(await near.gateway.deviceSessions.currentSessions().isEmpty)
            }
        }
        withExtendedLifetime(folder) {}
    }
}
