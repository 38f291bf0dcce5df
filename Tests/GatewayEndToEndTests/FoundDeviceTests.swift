import CastClient
import CastDiscovery
import CastWire
import DeviceSessions
import FeatureContract
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// Devices that are not configured: virtual devices relay to them as soon as they are heard.
@Suite(.timeLimit(.minutes(2))) struct FoundDeviceTests {
    private static let id = "0123456789abcdef0123456789abcdef"

    private static func configuration(target: String) -> GatewayConfiguration {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "foyer", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device(target))
            ]
        }
        configuration.shutdown.drain = .zero
        return configuration
    }

    @Test(arguments: [true, false]) func aTargetIsFoundByItsNameOrID(byName: Bool) async throws {
        let network = ScriptedNetwork()
        try await RunningGateway.with(.hall) { far in
            let id = try #require(far.gateway.deviceIDs.first)
            let target = byName ? "Great hall" : id.uppercased()
            try await RunningGateway.with(Self.configuration(target: target), network: network) { near in
                let online = near.gateway.events.subscribe { $0 == .deviceOnline(target: target) }
                network.say(.browsing)
                network.announce(id: id, name: "Great hall", port: far.port("hall"))
                for await _ in online.events { break }
                #expect(near.gateway.deviceDiscovery.devices.map(\.friendlyName) == ["Great hall"])
                try await TestSender.connect(to: near.port("foyer")) { sender in
                    let transport = try await sender.launchAndLoad()
                    #expect(try await sender.status(requestID: 50).applications.first?.transportID == transport)
                }
            }
        }
    }

    /// What was found before anything asked for it need not be announced again.
    @Test func aTargetOfAReloadMayHaveBeenFoundBefore() async throws {
        let network = ScriptedNetwork()
        try await RunningGateway.with(.hall) { far in
            let id = try #require(far.gateway.deviceIDs.first)
            var bare = Self.configuration(target: "Great hall")
            let foyer = bare.virtualDevices
            bare.virtualDevices = []
            try await RunningGateway.with(bare, network: network) { near in
                let listed = near.gateway.events.subscribe { event in
                    if case .deviceListDidUpdate = event { true } else { false }
                }
                let online = near.gateway.events.subscribe { $0 == .deviceOnline(target: "Great hall") }
                network.say(.browsing)
                network.announce(id: id, name: "Great hall", port: far.port("hall"))
                for await _ in listed.events { break }
                var configuration = near.gateway.configuration
                configuration.virtualDevices = foyer
                _ = try await near.gateway.reload(to: configuration).get()
                for await _ in online.events { break }
                #expect(near.gateway.isOnline("Great hall"))
            }
        }
    }

    @Test func ownVirtualDevicesAndDeniedOnesAreNotFound() async throws {
        let network = ScriptedNetwork()
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.discovery.deny = [Glob("Guest *")]
        try await RunningGateway.with(configuration, network: network) { running in
            let changes = running.gateway.events.subscribe { event in
                if case .deviceListDidUpdate = event { true } else { false }
            }
            for service in running.gateway.endpoints { #expect(service.castPort > 0) }
            for id in running.gateway.deviceIDs { network.announce(id: id, name: "Own", port: 1) }
            network.announce(id: String(repeating: "1", count: 32), name: "Guest TV", port: 2)
            network.announce(id: Self.id, name: "Other", port: 3)
            for await _ in changes.events { break }
            #expect(running.gateway.deviceIDs.count == 2)
            #expect(running.gateway.deviceDiscovery.devices.map(\.friendlyName) == ["Other"])
            var open = running.gateway.configuration
            open.discovery.deny = []
            let outcome = await running.gateway.reload(to: open)
            let plan = try outcome.get()
            #expect(plan.changes.map(\.path) == ["discovery.deny"])
            #expect(running.gateway.deviceDiscovery.devices.map(\.friendlyName) == ["Guest TV", "Other"])
        }
    }

    /// Most devices tell on their channel only which apps they have.
    @Test func aDeviceIsAskedForTheAppThatIsWanted() async throws {
        let network = ScriptedNetwork()
        try await RunningGateway.with(.hall) { far in
            let id = try #require(far.gateway.deviceIDs.first)
            var configuration = Self.configuration(target: "Great hall")
            configuration.discovery.receiverApp = "CC1AD845"
            try await RunningGateway.with(configuration, network: network) { near in
                let online = near.gateway.events.subscribe { $0 == .deviceOnline(target: "Great hall") }
                let changes = near.gateway.events.subscribe { event in
                    switch event {
                    case .deviceUpdated, .deviceRemoved: true
                    default: false
                    }
                }
                network.say(.browsing)
                network.announce(id: id, name: "Great hall", port: far.port("hall"))
                for await _ in online.events { break }
                var names = changes.events.makeAsyncIterator()
                _ = await names.next()
                #expect(near.gateway.deviceDiscovery.device(id: id)?.apps == ["CC1AD845": true])
                let asked = try await near.gateway.deviceSessions.availability(
                    of: ["CC1AD845", "0F5096E8"], on: "Great hall")
                #expect(asked == ["CC1AD845": true, "0F5096E8": false])
                var other = near.gateway.configuration
                other.discovery.receiverApp = "0F5096E8"
                _ = try await near.gateway.reload(to: other).get()
                while near.gateway.deviceDiscovery.hasDevices { _ = await names.next() }
                #expect(near.gateway.isOnline("Great hall"), "who is not listed any more stays a target")
            }
        }
    }

    @Test func withoutADaemonTheGatewayRunsAndSaysSo() async throws {
        let network = ScriptedNetwork()
        network.say(.blocked(reason: "no daemon"))
        try await RunningGateway.with(.hallAndOffice, network: network) { running in
            try await TestSender.connect(to: running.port("hall")) { sender in
                _ = try await sender.connectPlatform()
            }
            #expect(running.gateway.deviceDiscovery.state == .blocked(reason: "no daemon"))
        }
    }
}
