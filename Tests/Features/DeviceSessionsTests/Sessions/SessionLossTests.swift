import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// What becomes of a session, and of those who wait for it, when its device's channel is lost or given up.
@Suite(.timeLimit(.minutes(1))) struct SessionLossTests {
    /// Begins to start a session, with or before the channel.
    private func startSession(_ bench: RelayBench) async throws {
        try await bench.onSession { session in
            session.startSession(number: 1, app: .defaultMediaReceiver, options: LaunchOptions())?.start()
        }
    }

    /// A session that has joined what runs; the device says nothing that it is not told to.
    private func join(_ bench: RelayBench) async throws {
        try await self.startSession(bench)
        try await bench.onSession { $0.start() }
        _ = await bench.device.nextMessage()
        try await bench.device.say(.status(.playing))
        #expect(await self.changes(2, bench) == [.willStart, .didStart])
    }

    private func changes(_ count: Int, _ bench: RelayBench) async -> [CastSessionChange] {
        var changes: [CastSessionChange] = []
        while changes.count < count,
            let change = await bench.nextEvent({ if case .castSession(_, let change) = $0 { change } else { nil } })
        {
            changes.append(change)
        }
        return changes
    }

    /// The device is back, and this runs.
    private func comeBack(_ bench: RelayBench, _ status: ReceiverStatus) async throws {
        _ = await bench.device.events.next { if case .message(1, let message) = $0 { message } else { nil } }
        try await bench.device.say(.status(status), on: 1)
    }

    @Test func aStartOutlivesIt() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await bench.onSession { $0.start() }
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(.idle))
            await bench.waitForOnline()
            // It asks what runs, and is not answered.
            try await self.startSession(bench)
            try await bench.device.hangUp()
            try await self.comeBack(bench, .playing)
            #expect(await self.changes(2, bench) == [.willStart, .didStart])
        }
    }

    @Test func aSessionThatIsBeingResumedOutlivesIt() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await self.join(bench)
            try await bench.onSession { session in
                session.platform.session?.suspend(.appBackgrounded)
                session.platform.session?.resume(.foreground)
            }
            try await bench.device.hangUp()
            try await self.comeBack(bench, .playing)
            #expect(
                await self.changes(5, bench) == [
                    .didSuspend(.appBackgrounded), .willResume(.foreground), .didSuspend(.networkError),
                    .willResume(.network), .didResume(.network),
                ])
        }
    }

    @Test func whoWaitsForAStopIsToldThatTheGatewayStops() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await self.join(bench)
            let told = try await bench.onSession { session in
                var told: [CastErrorCode?] = []
                session.platform.session?.wait(for: .end).assumeIsolated().whenSuccess { told.append($0?.code) }
                session.platform.session?.end(.stop)
                session.stop(stoppingApps: false)
                return told
            }
            #expect(told == [.deviceNotConnected])
        }
    }

    @Test func whoWaitsForAReturnIsToldThatTheGatewayStops() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await self.join(bench)
            try await bench.device.hangUpFromNowOn()
            #expect(await self.changes(1, bench) == [.didSuspend(.networkError)])
            let told = try await bench.onSession { session in
                var told: [CastErrorCode?] = []
                let host = session.platform.session
                host?.wait(for: .resume).assumeIsolated().whenSuccess { told.append($0?.code) }
                host?.resume(.foreground)
                session.stop(stoppingApps: false)
                // It is too late for that.
                host?.wait(for: .resume).assumeIsolated().whenSuccess { told.append($0?.code) }
                host?.resume(.foreground)
                return told
            }
            #expect(told == [.cancelled, .cancelled])
        }
    }

    @Test func aSessionThatIsBeingStoppedIsNotHandedOver() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await self.join(bench)
            let isHandedOver = try await bench.onSession { session in
                session.platform.session?.end(.stop)
                defer { session.retire() }
                return session.surrenderSession() != nil
            }
            #expect(!isHandedOver)
            try await bench.device.say(.status(.idle))
            #expect(await self.changes(2, bench) == [.willEnd(.stop), .didEnd(nil)])
        }
    }
}
