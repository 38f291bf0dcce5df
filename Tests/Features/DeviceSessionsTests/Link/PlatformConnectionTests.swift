import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// Castway's own connection to the platform, which some devices close until it is opened anew.
@Suite(.timeLimit(.minutes(1))) struct PlatformConnectionTests {
    @Test func isOpenedAgainThreeTimes() {
        var reopenings = PlatformReopenings()
        #expect((0..<4).map { _ in reopenings.mayReopen(nil) } == [true, true, true, false])
    }

    @Test func opensWithAStatusRequestAndNewRequestIDs() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.device.say(.close(.platformReceiver, to: .platformSender))
            var heard: [CastMessage] = []
            for _ in 0..<5 { heard.append(try #require(await bench.device.nextMessage())) }
            #expect(heard.map(\.type) == ["CONNECT", "GET_STATUS", "CLOSE", "CONNECT", "GET_STATUS"])
            #expect(heard.allSatisfy { $0.source == .platformSender && $0.destination == .platformReceiver })
            let ids = heard.compactMap(\.requestID)
            #expect(Set(ids).count == 2)
            #expect(!ids.contains(.spontaneous))
        }
    }

    @Test func aDeviceThatGoesOnClosingGetsANewChannel() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            let close = CastMessage.close(.platformReceiver, to: .platformSender)
            for _ in 0..<3 {
                try await bench.device.say(close)
                let types = await [
                    bench.device.events.next { self.message($0, "CLOSE") },
                    bench.device.events.next { self.message($0, "CONNECT") },
                    bench.device.events.next { self.message($0, "GET_STATUS") },
                ]
                #expect(types == [0, 0, 0])
            }
            try await bench.device.say(close)
            #expect(await bench.device.events.next { self.message($0, "GET_STATUS") } == 1)
        }
    }

    @Test func aCloseFromElsewhereIsNotThePlatforms() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.device.say(.close("web-1", to: .platformSender), .status(.playing))
            #expect(await bench.relays[0].heard.next() == .broadcast(.status(.playing)))
            try await bench.onRelay { $0.connect(.connect("sender-0"), from: ConnectionID(rawValue: 1)) }
            var types: [String?] = []
            for _ in 0..<3 { types.append(await bench.device.nextMessage()?.type) }
            #expect(types == ["CONNECT", "GET_STATUS", "CONNECT"])
        }
    }

    /// On which channel a message of this type came.
    private func message(_ event: FakeDevice.Event, _ type: String) -> Int? {
        if case .message(let number, let message) = event, message.type == type { number } else { nil }
    }
}
