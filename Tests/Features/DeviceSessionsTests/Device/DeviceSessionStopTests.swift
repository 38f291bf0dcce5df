import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import DeviceSessions

/// What a device hears when the gateway stops.
@Suite(.timeLimit(.minutes(1))) struct DeviceSessionStopTests {
    /// The end of the session takes the channel of a device along that is here for that alone; its apps are stopped before.
    @Test(arguments: [true, false]) func appsAreStoppedBeforeTheChannelEnds(isHereForItsSession: Bool) async throws {
        try await RelayBench.with(relays: 0, behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onSession { session in
                if isHereForItsSession { session.keepWhileUsed {} }
                session.startSession(number: 1, app: .defaultMediaReceiver, options: LaunchOptions())?.start()
            }
            for await event in bench.events.events {
                if case .castSession(_, .didStart) = event { break }
            }
            try await bench.onSession { $0.stop(stoppingApps: true) }
            let last = await bench.device.events.next { event -> String? in
                switch event {
                case .message(_, let message) where message.type == "STOP": "STOP"
                case .closed: "closed"
                case .opened, .message: nil
                }
            }
            #expect(last == "STOP")
        }
    }
}
