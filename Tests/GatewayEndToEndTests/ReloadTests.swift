import BuiltInReceiver
import CastIdentity
import CastTransport
import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import NamespaceHandlers
import Testing
import VirtualDevices

/// A new configuration during playback: connections and sessions stay.
@Suite(.timeLimit(.minutes(3))) struct ReloadTests {
    @Test(arguments: ["hall", "foyer"])
    func whatIsHotLeavesPlaybackAlone(device: String) async throws {
        try await ReloadBench.with { _, bench in
            try await TestSender.connect(to: bench.port(device)) { sender in
                let transport = try await sender.launchAndLoad()
                let before = try await sender.playback(at: transport, requestID: 10)
                let index = try bench.index(device)
                let plan = try await bench.reload { configuration in
                    configuration.virtualDevices[index].friendlyName = "Renamed"
                    configuration.virtualDevices[index].idleTimeout = .seconds(9)
                    configuration.routing.rules = [
                        RoutingRule(
                            name: "no-quiz",
                            condition: RoutingCondition(namespace: [.exact("urn:x-cast:com.example.quiz")]),
                            action: .drop)
                    ]
                    configuration.senders.connections.total = 8
                    configuration.shutdown.total = .seconds(30)
                }
                #expect(plan.changes.allSatisfy { $0.reload == .hot })
                #expect(plan.changes.map(\.path).contains("virtual_devices.\(device).friendly_name"))
                let after = try await sender.playback(at: transport, requestID: 11)
                #expect(after.session == before.session)
                #expect(try #require(after.time) >= #require(before.time))
                let status = try await sender.status(requestID: 12)
                #expect(status.applications.first?.transportID == transport)
                // The new name is told on the same connection.
                try await sender.send(["type": "GET_DEVICE_INFO", "requestId": 13], in: .discovery)
                #expect(try await sender.answer(to: 13)?.string("friendlyName") == "Renamed")
            }
        }
    }

    @Test func newConnectionsGetTheKindOfKeyThatIsWanted() async throws {
        try await ReloadBench.with { _, bench in
            let port = try bench.port("hall")
            try await TestSender.connect(to: port) { early in
                _ = try await early.connectPlatform()
                let index = try bench.index("hall")
                let plan = try await bench.reload { $0.virtualDevices[index].tlsKey = .rsa }
                #expect(plan.changes.map(\.description) == ["virtual_devices.hall.tls_key (new-connections)"])
                let late = try await TestSender.connect(to: port) { $0.leaf }
                #expect(late != early.leaf)
                // A certificate with an RSA key and signature is much longer.
                #expect(late.count > early.leaf.count + 256)
                _ = try await early.status(requestID: 10)
            }
        }
    }

    @Test func limitsAreInForceAtOnceWhereSendersConnect() async throws {
        try await ReloadBench.with { _, bench in
            let subscription = bench.running.gateway.events.subscribe()
            let port = try bench.port("hall")
            try await TestSender.connect(to: port) { sender in
                _ = try await sender.connectPlatform()
                let plan = try await bench.reload {
                    $0.senders.connections.newPerSecond = 1
                    $0.senders.messagesPerSecond = 3000
                }
                #expect(
                    plan.changes.map(\.description) == [
                        "connections.senders.new_per_second (hot)", "connections.senders.messages_per_second (hot)",
                    ])
                for _ in 0..<8 { _ = await ReloadBench.isRefused(port) }
                for await event in subscription.events {
                    guard case .senderRefused(_, _, let reason, _) = event else { continue }
                    #expect(reason == "too many new connections a second from this address")
                    break
                }
                _ = try await sender.status(requestID: 10)
            }
        }
    }

    @Test func aRuleIsInForceAtOnce() async throws {
        try await ReloadBench.with { _, bench in
            try await TestSender.connect(to: bench.port("hall")) { sender in
                _ = try await sender.connectPlatform()
                try await bench.reload { configuration in
                    configuration.routing.rules = [
                        RoutingRule(name: "quiet", condition: RoutingCondition(type: ["LAUNCH"]), action: .reject)
                    ]
                }
                try await sender.send(["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"], in: .receiver)
                #expect(try await sender.answer(to: 2)?.string("reason") == "NOT_ALLOWED")
                try await bench.reload()
                try await sender.send(["type": "LAUNCH", "requestId": 3, "appId": "CC1AD845"], in: .receiver)
                #expect(try await sender.answer(to: 3)?.string("type") == "RECEIVER_STATUS")
            }
        }
    }

    @Test func noMessageIsLostOrDoubled() async throws {
        try await ReloadBench.with { _, bench in
            for device in ["hall", "foyer"] {
                try await TestSender.connect(to: bench.port(device)) { sender in
                    _ = try await sender.connectPlatform()
                    // Each round of messages is on its way while a reload changes the table and the settings.
                    var next = 100
                    for round in 1...10 {
                        let numbers = next..<(next + 50)
                        next += 50
                        async let reloaded = bench.reload {
                            $0.routing.router.filterDeadline = .milliseconds(100 + round)
                        }
                        for number in numbers {
                            try await sender.send(
                                ["type": "GET_STATUS", "requestId": .number(number)], in: .receiver)
                        }
                        var answered: [Int] = []
                        while answered.count < numbers.count {
                            let message = try #require(
                                try await sender.receive { $0.namespace == .receiver && $0.destination != .broadcast })
                            answered.append(try #require(message.payload.jsonObject?.int("requestId")))
                        }
                        #expect(answered == Array(numbers))
                        _ = try await reloaded
                    }
                    // Nothing came twice: the next answer is that to the next question.
                    try await sender.send(["type": "GET_STATUS", "requestId": 99], in: .receiver)
                    let last = try await sender.receive { $0.namespace == .receiver && $0.destination != .broadcast }
                    #expect(last?.payload.jsonObject?.int("requestId") == 99)
                }
            }
        }
    }

    @Test(arguments: ["hall", "foyer"])
    func aNewAddressLeavesConnectionsAlone(device: String) async throws {
        try await ReloadBench.with { _, bench in
            let oldPort = try bench.port(device)
            let newPort = try FreePort.next()
            let index = try bench.index(device)
            try await TestSender.connect(to: oldPort) { sender in
                let transport = try await sender.launchAndLoad()
                let plan = try await bench.reload {
                    $0.virtualDevices[index].listen = ListenAddress(host: "127.0.0.1", port: newPort)
                }
                #expect(plan.changes.map(\.description) == ["virtual_devices.\(device).listen (listener)"])
                #expect(try bench.port(device) == newPort)
                #expect(try await sender.status(requestID: 10).applications.first?.transportID == transport)
                try await TestSender.connect(to: newPort) { late in
                    let status = try await late.connectPlatform()
                    #expect(status.applications.first?.transportID == transport)
                }
                #expect(await ReloadBench.isRefused(oldPort))
            }
        }
    }

    @Test func twoDevicesSwapTheirAddresses() async throws {
        let ports = [try FreePort.next(), try FreePort.next()].map { ListenAddress(host: "127.0.0.1", port: $0) }
        var configuration = GatewayConfiguration.hallAndOffice
        for (index, address) in ports.enumerated() { configuration.virtualDevices[index].listen = address }
        try await RunningGateway.with(configuration) { running in
            try await TestSender.connect(to: ports[0].port) { sender in
                let transport = try await sender.launchAndLoad()
                var configuration = running.gateway.configuration
                configuration.virtualDevices[0].listen = ports[1]
                configuration.virtualDevices[1].listen = ports[0]
                _ = try await running.gateway.reload(to: configuration).get()
                #expect(try await sender.status(requestID: 10).applications.first?.transportID == transport)
                // The hall plays, the office does not.
                try await TestSender.connect(to: ports[1].port) { hall in
                    let status = try await hall.connectPlatform()
                    #expect(status.applications.first?.transportID == transport)
                }
                try await TestSender.connect(to: ports[0].port) { office in
                    let status = try await office.connectPlatform()
                    #expect(status.applications.isEmpty)
                }
            }
            // An address is not given to another device after that.
            var other = GatewayConfiguration.hallAndOffice
            other.virtualDevices[0].listen = ports[0]
            do {
                try await RunningGateway.with(other) { _ in }
                Issue.record("two gateways have one address")
            } catch {
                #expect(error as? GatewayError == GatewayError(.listenFailed, ""))
            }
        }
    }

    @Test func devicesComeAndGo() async throws {
        try await ReloadBench.with { _, bench in
            let hall = try bench.port("hall")
            try await TestSender.connect(to: hall) { sender in
                let transport = try await sender.launchAndLoad()
                try await TestSender.connect(to: bench.port("office")) { visitor in
                    _ = try await visitor.connectPlatform()
                    let plan = try await bench.reload { configuration in
                        configuration.virtualDevices.removeAll { $0.name == "office" }
                        configuration.virtualDevices.append(
                            VirtualDeviceConfiguration(name: "annex", listen: ReloadBench.anywhere, target: .local))
                    }
                    #expect(
                        plan.changes.map(\.description) == [
                            "virtual_devices.annex (listener, added)", "virtual_devices.office (listener, removed)",
                        ])
                    try await visitor.closed()
                }
                try await TestSender.connect(to: bench.port("annex")) { late in
                    _ = try await late.launchAndLoad()
                }
                #expect(!bench.running.gateway.endpoints.contains { $0.name == "office" })
                #expect(try await sender.status(requestID: 10).applications.first?.transportID == transport)
            }
        }
    }

    @Test func anAppThatIsNotOfferedAnyMoreRunsToItsEnd() async throws {
        try await ReloadBench.with { _, bench in
            let index = try bench.index("hall")
            try await TestSender.connect(to: bench.port("hall")) { sender in
                let transport = try await sender.launchAndLoad()
                let before = try await sender.playback(at: transport, requestID: 10)
                try await bench.reload { $0.virtualDevices[index].apps?.removeAll { $0.id == "CC1AD845" } }
                #expect(try await sender.playback(at: transport, requestID: 11).session == before.session)
                try await sender.send(["type": "STOP", "requestId": 12], in: .receiver)
                _ = try await sender.answer(to: 12)
                try await sender.send(["type": "LAUNCH", "requestId": 13, "appId": "CC1AD845"], in: .receiver)
                #expect(try await sender.answer(to: 13)?.string("type") == "LAUNCH_ERROR")
            }
        }
    }
}
