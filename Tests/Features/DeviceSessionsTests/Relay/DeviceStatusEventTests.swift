import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import DeviceSessions

/// That a device's own status is an event, by whichever sender it was changed.
@Suite(.timeLimit(.minutes(1))) struct DeviceStatusEventTests {
    private func next(_ bench: RelayBench) async -> JSONObject? {
        await bench.nextEvent { if case .deviceStatus(_, let status) = $0 { status } else { nil } }
    }

    @Test func whatADeviceSaysIsToldWhenItIsNewsAndAfterAGap() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly) { bench in
            try await bench.onSession { $0.start() }
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(.idle))
            #expect(await self.next(bench) == ReceiverStatus.idle.json)
            // The same again is no news.
            try await bench.device.say(.status(.idle))
            try await bench.device.say(.status(.playing))
            #expect(await self.next(bench) == ReceiverStatus.playing.json)
            try await bench.device.hangUp()
            _ = await bench.device.events.next { if case .opened(1) = $0 { true } else { nil } }
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(.playing), on: 1)
            #expect(await self.next(bench) == ReceiverStatus.playing.json)
        }
    }
}
