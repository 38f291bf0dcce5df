import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// What stands behind virtual devices changes: senders see what they see when a device is lost, and stay connected.
@Suite(.timeLimit(.minutes(3))) struct ReloadTargetTests {
    @Test func aRelayBecomesALocalReceiverAndBack() async throws {
        try await ReloadBench.with { hall, bench in
            let index = try bench.index("foyer")
            try await TestSender.connect(to: hall.port("hall")) { owner in
                let transport = try await owner.launchAndLoad()
                try await TestSender.connect(to: bench.port("foyer")) { sender in
                    #expect(try await sender.connectPlatform().applications.first?.transportID == transport)
                    try await sender.send(["type": "CONNECT"], in: .connection, to: transport)
                    _ = try await sender.playback(at: transport, requestID: 19)
                    try await bench.reload { $0.virtualDevices[index].target = .local }
                    let close = try await sender.receive { $0.namespace == .connection && $0.source == transport }
                    #expect(ConnectionPayload(try #require(close).payload)?.kind == .close)
                    let told = try await sender.receive { $0.namespace == .receiver && $0.destination == .broadcast }
                    #expect(ReceiverStatusPayload(try #require(told).payload)?.status?.applications.isEmpty == true)
                    // The platform's connection stands towards the new target.
                    #expect(try await sender.status(requestID: 20).applications.isEmpty)
                    try await bench.reload()
                    let back = try await sender.receive {
                        $0.namespace == .receiver && $0.destination == .broadcast
                            && ReceiverStatusPayload($0.payload)?.status?.applications.first?.transportID == transport
                    }
                    #expect(back != nil)
                }
                // The sender behind the relay did not notice.
                #expect(try await owner.status(requestID: 21).applications.first?.transportID == transport)
            }
        }
    }

    @Test func aDeviceThatMovesIsDialledThere() async throws {
        try await ReloadBench.with { hall, bench in
            let online = bench.running.gateway.events.subscribe { $0 == .deviceOnline(target: "wall") }
            try await TestSender.connect(to: hall.port("office")) { owner in
                _ = try await owner.connectPlatform()
                try await TestSender.connect(to: bench.port("foyer")) { sender in
                    let transport = try await sender.launchAndLoad()
                    let plan = try await bench.reload {
                        $0.discovery.staticDevices[0].address = DialAddress(
                            host: "127.0.0.1", port: hall.port("office"))
                    }
                    #expect(plan.changes.map(\.description) == ["discovery.static.wall.address (device)"])
                    let close = try await sender.receive { $0.namespace == .connection && $0.source == transport }
                    #expect(close != nil)
                    for await _ in online.events { break }
                    // The office has no apps, and answers on the connection that the sender has had all the time.
                    try await sender.send(["type": "LAUNCH", "requestId": 30, "appId": "CC1AD845"], in: .receiver)
                    #expect(try await sender.answer(to: 30)?.string("reason") == "NOT_FOUND")
                }
            }
        }
    }

    @Test func devicesAreDialledAndHungUp() async throws {
        try await ReloadBench.with { hall, bench in
            let online = bench.running.gateway.events.subscribe { $0 == .deviceOnline(target: "second") }
            let gone = hall.gateway.events.subscribe { if case .senderDisconnected = $0 { true } else { false } }
            let second = StaticDevice(
                name: "second", address: DialAddress(host: "127.0.0.1", port: hall.port("office")))
            try await bench.reload { $0.discovery.staticDevices.append(second) }
            for await _ in online.events { break }
            #expect(bench.running.gateway.isOnline("second"))
            try await bench.reload()
            for await _ in gone.events { break }
            #expect(!bench.running.gateway.isOnline("second"))
            #expect(bench.running.gateway.isOnline("wall"))
        }
    }

    /// Whatever event loops they live on: each relay ends up at its new device.
    @Test func severalRelaysGoToAnotherDevice() async throws {
        try await ReloadBench.with { hall, bench in
            var bench = bench
            bench.configuration.virtualDevices += (1...3).map {
                VirtualDeviceConfiguration(name: "room-\($0)", listen: ReloadBench.anywhere, target: .local)
            }
            try await bench.reload()
            let online = bench.running.gateway.events.subscribe { $0 == .deviceOnline(target: "second") }
            bench.configuration.discovery.staticDevices.append(
                StaticDevice(name: "second", address: DialAddress(host: "127.0.0.1", port: hall.port("hall"))))
            for index in bench.configuration.virtualDevices.indices
            where bench.configuration.virtualDevices[index].name.hasPrefix("room") {
                bench.configuration.virtualDevices[index].target = .device("second")
            }
            let dryRun = try await bench.running.gateway.reload(to: bench.configuration, isDryRun: true).get()
            let plan = try await bench.reload()
            #expect(plan == dryRun)
            for await _ in online.events { break }
            try await TestSender.connect(to: hall.port("hall")) { owner in
                let transport = try await owner.launchAndLoad()
                for number in 1...3 {
                    try await TestSender.connect(to: bench.port("room-\(number)")) { sender in
                        let status = try await sender.connectPlatform()
                        #expect(status.applications.first?.transportID == transport)
                    }
                }
            }
        }
    }
}
