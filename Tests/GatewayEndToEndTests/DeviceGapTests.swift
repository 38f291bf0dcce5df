import CastClient
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

/// The wire to a device that plays fails in all the ways in which wires fail; the sender stays where it is and plays on.
@Suite(.timeLimit(.minutes(3))) struct DeviceGapTests {
    private static let anywhere = ListenAddress(host: "127.0.0.1", port: 0)

    /// A hall that plays, and a foyer that relays to it over a wire.
    private func with(
        _ body: (_ foyer: RunningGateway, _ wire: FaultyWire, _ events: EventSubscription) async throws -> Void
    ) async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            try await FaultyWire.with(to: hall.port("hall")) { wire in
                var configuration = GatewayConfiguration {
                    $0.virtualDevices = [
                        VirtualDeviceConfiguration(name: "foyer", listen: Self.anywhere, target: .device("wall"))
                    ]
                }
                configuration.discovery.staticDevices = [
                    StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wire.port))
                ]
                configuration.shutdown.drain = .zero
                configuration.connections.heartbeat.interval = .milliseconds(100)
                configuration.connections.heartbeat.timeout = .milliseconds(400)
                configuration.connections.reconnectInitial = .milliseconds(20)
                configuration.connections.reconnectMaximum = .milliseconds(100)
                try await RunningGateway.with(configuration) { foyer in
                    try await body(foyer, wire, foyer.gateway.events.subscribe())
                }
            }
        }
    }

    private func wait(for event: String, in events: EventSubscription) async {
        for await heard in events.events where heard.name == event { break }
    }

    @Test(arguments: [FaultyWire.State.cut, .frozen])
    func theSenderPlaysOn(fault: FaultyWire.State) async throws {
        try await self.with { foyer, wire, events in
            try await TestSender.connect(to: foyer.port("foyer")) { sender in
                let transport = try await sender.launchAndLoad()
                let before = try await sender.playback(at: transport, requestID: 10)
                try await wire.become(fault)
                await self.wait(for: "device.offline", in: events)
                // The platform is as it was; the app cannot be asked, and that is said.
                let status = try await sender.status(requestID: 11)
                #expect(status.applications.first?.transportID == transport)
                try await sender.send(
                    ["type": "PAUSE", "requestId": 12, "mediaSessionId": 1], in: .media, to: transport)
                #expect(try await sender.answer(to: 12)?.string("type") == "INVALID_REQUEST")
                if case .frozen = fault { try await wire.become(.cut) }
                try await wire.become(.whole)
                await self.wait(for: "device.online", in: events)
                // Every sender learns how playback stands, and none received a CLOSE before it.
                var closes = 0
                let fresh = try await sender.receive { message in
                    if message.namespace == .connection { closes += 1 }
                    return message.namespace == .media && message.isBroadcast
                }
                #expect(closes == 0)
                #expect(fresh?.source == transport)
                let after = try await sender.playback(at: transport, requestID: 13)
                #expect(after.session == before.session)
                #expect((after.time ?? 0) >= (before.time ?? 0))
            }
        }
    }

    @Test func aSessionOfTheGatewaysOwnGoesOnToo() async throws {
        try await self.with { foyer, wire, events in
            try await TestSender.connect(to: foyer.port("foyer")) { sender in
                let transport = try await sender.launchAndLoad()
                let session = try await foyer.gateway.startSession(device: "wall", app: .defaultMediaReceiver)
                #expect(try await session.facts.transportID == transport)
                try await wire.become(.cut)
                await self.wait(for: "device.offline", in: events)
                #expect(try await session.facts.state == .connecting)
                try await wire.become(.whole)
                await self.wait(for: "device.online", in: events)
                #expect(try await session.facts.state == .connected)
                // The media client goes on with the session that it knows.
                try await session.media.perform(.pause())
                #expect(session.media.snapshot.playerState == .paused)
                try await session.setVolume(0.25)
                #expect(try await sender.status(requestID: 20).volume?.level == 0.25)
                try await session.end(.stop)
                #expect(try await sender.status(requestID: 21).applications.isEmpty)
            }
        }
    }

    @Test func anAppThatStoppedMeanwhileIsClosed() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            try await FaultyWire.with(to: hall.port("hall")) { wire in
                var configuration = GatewayConfiguration {
                    $0.virtualDevices = [
                        VirtualDeviceConfiguration(name: "foyer", listen: Self.anywhere, target: .device("wall"))
                    ]
                }
                configuration.discovery.staticDevices = [
                    StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wire.port))
                ]
                configuration.connections.reconnectInitial = .milliseconds(20)
                configuration.connections.reconnectMaximum = .milliseconds(100)
                configuration.shutdown.drain = .zero
                try await RunningGateway.with(configuration) { foyer in
                    let events = foyer.gateway.events.subscribe()
                    try await TestSender.connect(to: foyer.port("foyer")) { sender in
                        let transport = try await sender.launchAndLoad()
                        try await wire.become(.cut)
                        await self.wait(for: "device.offline", in: events)
                        try await TestSender.connect(to: hall.port("hall")) { other in
                            _ = try await other.connectPlatform()
                            try await other.send(["type": "STOP", "requestId": 2], in: .receiver)
                            _ = try await other.answer(to: 2)
                        }
                        try await wire.become(.whole)
                        let close = try await sender.receive { $0.namespace == .connection }
                        #expect(close?.source == transport)
                        let told = try await sender.receive { $0.namespace == .receiver && $0.isBroadcast }
                        #expect(ReceiverStatusPayload(told?.payload ?? .text(""))?.status?.applications.isEmpty == true)
                    }
                }
            }
        }
    }
}
