import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// What callers are told of a device that is not there, and how soon.
@Suite(.timeLimit(.minutes(1))) struct UnreachedDeviceTests {
    private let bench = CastSessionTests()

    /// What a start comes to, and how long that takes.
    private func start(
        _ device: String, in directory: DeviceSessionDirectory
    ) async -> (code: CastErrorCode?, time: Duration) {
        let began = ContinuousClock.now
        do throws(SessionFailure) {
            _ = try await directory.startSession(device: device, app: .defaultMediaReceiver)
            return (nil, ContinuousClock.now - began)
        } catch {
            return (error.code, ContinuousClock.now - began)
        }
    }

    /// It is dialled for the caller, whatever the pause before the next dial was to be.
    @Test func aStartFailsWithTheNextDialOfADeviceThatWasNeverReached() async throws {
        try await self.bench.with(.usual(.idle)) { directory, _, events in
            var connections = ConnectionsConfiguration()
            connections.reconnectInitial = .seconds(60)
            connections.reconnectMaximum = .seconds(60)
            let address = DeviceAddress(host: "127.0.0.1", port: try FreePort.next())
            let update = try await directory.prepare(
                devices: ["lamp": [address]], configuration: connections, stopsApps: false)
            try await directory.commit(update)
            for await event in events.events { if case .deviceOffline(target: "lamp", _) = event { break } }
            for _ in 0..<2 {
                let outcome = await self.start("lamp", in: directory)
                #expect(outcome.code == .deviceNotConnected)
                #expect(outcome.time < .seconds(8))
            }
            #expect(await directory.currentSession(device: "lamp") == nil)
        }
    }

    @Test func aQuestionToADeviceThatIsDialledForItFailsWithTheDial() async throws {
        try await self.bench.with(.usual(.idle)) { directory, _, _ in
            let address = DeviceAddress(host: "127.0.0.1", port: try FreePort.next())
            directory.update(device: "lamp", candidates: [address], isAnnounced: true)
            let began = ContinuousClock.now
            await #expect(throws: RequestError.self) {
                try await directory.ask(["type": "GET_STATUS"], in: .receiver, of: "lamp")
            }
            #expect(ContinuousClock.now - began < .seconds(8))
        }
    }

    @Test func aStartThatIsAnsweredAlreadyHeedsNoDial() {
        var bench = SessionBench()
        _ = bench.start()
        #expect(bench.machine.notReached("refused").isEmpty)
        var away = SessionBench()
        _ = away.start(isOnline: false)
        #expect(away.machine.notReached("refused").ends == [.start: .deviceNotConnected])
        #expect(away.machine.isEnded)
    }
}
