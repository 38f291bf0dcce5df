import CastDiscovery
import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// A sender that was there before the device, as a laptop that is opened before the television is on.
@Suite(.timeLimit(.minutes(3))) struct LateDeviceTests {
    private static let anywhere = ListenAddress(host: "127.0.0.1", port: 0)

    private func with(
        waiting: Duration = .zero, suspendAfter: Duration = .zero, listen: ListenAddress = Self.anywhere,
        network: any MulticastNetwork = AbsentNetwork(),
        _ body: (_ foyer: RunningGateway, _ wire: FaultyWire) async throws -> Void
    ) async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            try await FaultyWire.with(to: hall.port("hall")) { wire in
                var configuration = GatewayConfiguration {
                    $0.virtualDevices = [
                        VirtualDeviceConfiguration(name: "foyer", listen: listen, target: .device("wall"))
                    ]
                }
                configuration.discovery.staticDevices = [
                    StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wire.port))
                ]
                configuration.shutdown.drain = .zero
                configuration.connections.reconnectInitial = .milliseconds(20)
                configuration.connections.reconnectMaximum = .milliseconds(100)
                configuration.sessions.waitForDevice = waiting
                configuration.sessions.suspendAfter = suspendAfter
                try await RunningGateway.with(configuration, network: network) { try await body($0, wire) }
            }
        }
    }

    private func ask(_ sender: TestSender, requestID: Int) async throws -> AppAvailability? {
        try await sender.send(
            [
                "type": "GET_APP_AVAILABILITY", "requestId": .number(requestID),
                "appId": ["CC1AD845", "0F5096E8", "ABCD9999"],
            ], in: .receiver)
        return try await sender.answer(to: requestID).map(AppAvailability.init(json:))
    }

    @Test func whoWasToldThatTheDeviceHasNothingIsLetGoWhenItHas() async throws {
        try await self.with(waiting: .milliseconds(50)) { foyer, wire in
            let events = foyer.gateway.events.subscribe()
            try await wire.become(.cut)
            for await event in events.events where event.name == "device.offline" { break }
            try await TestSender.connect(to: foyer.port("foyer")) { sender in
                _ = try await sender.connectPlatform()
                #expect(try await self.ask(sender, requestID: 5)?.availableApps == [])
                try await wire.become(.whole)
                try await sender.closed()
            }
            try await TestSender.connect(to: foyer.port("foyer")) { sender in
                _ = try await sender.connectPlatform()
                let answer = try await self.ask(sender, requestID: 5)
                #expect(answer?.availableApps == ["CC1AD845"])
                #expect(answer?.isAvailable("0F5096E8") == false)
            }
        }
    }

    /// A device that is switched off is not offered, at whatever address it is written down.
    @Test func aDeviceIsAnnouncedWhileItIsThere() async throws {
        let network = StageNetwork()
        try await self.with(listen: ListenAddress(host: "0.0.0.0", port: 0), network: network) { _, wire in
            _ = await network.until { $0["foyer"] }
            try await wire.become(.cut)
            _ = await network.until { $0["foyer"] == nil ? true : nil }
            try await wire.become(.whole)
            _ = await network.until { $0["foyer"] }
        }
    }

    @Test func whoComesBackInTheGapFindsWhatPlays() async throws {
        try await self.with(waiting: .seconds(10)) { foyer, wire in
            let events = foyer.gateway.events.subscribe()
            try await TestSender.connect(to: foyer.port("foyer")) { sender in
                let transport = try await sender.launchAndLoad()
                try await wire.become(.cut)
                for await event in events.events where event.name == "device.offline" { break }
                try await TestSender.connect(to: foyer.port("foyer")) { other in
                    try await other.send(.connect(.platformSender))
                    try await other.send(["type": "GET_STATUS", "requestId": 3], in: .receiver)
                    try await wire.become(.whole)
                    let answer = try await other.receive { message in
                        PayloadSummary(peeking: message.payload).requestID == 3
                    }
                    let status = ReceiverStatusPayload(answer?.payload ?? .text(""))?.status
                    #expect(status?.applications.first?.transportID == transport)
                }
            }
        }
    }
}
