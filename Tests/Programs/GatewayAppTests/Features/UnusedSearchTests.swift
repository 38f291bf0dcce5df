import CastDiscovery
import CastWire
import CastwayTestSupport
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayOperations
import NIOCore
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// A gateway that nothing uses does not search for devices, and does so again with the first use: seen from the network.
@Suite(.timeLimit(.minutes(1))) struct UnusedSearchTests {
    /// A network that tells which browsers were started and stopped.
    private final class Network: MulticastNetwork {
        enum Step: Equatable, Sendable {
            case started
            case stopped
        }

        private struct Browser: ServiceBrowser {
            let steps: Inbox<Step>

            func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void) {
                sink(.browsing)
                self.steps.put(.started)
            }

            func ask(for subtypes: Set<ServiceSubtype>) {}
            func scan() {}
            func stop() { self.steps.put(.stopped) }
        }

        let steps = Inbox<Step>()

        func makeBrowser(interfaces: [String]) -> any ServiceBrowser { Browser(steps: self.steps) }
        func makePublisher() -> any ServicePublisher { AbsentNetwork() }
        func start() {}
        func stop() async {}
    }

    private static func with(_ body: (RunningGateway, Network) async throws -> Void) async throws {
        var configuration = GatewayConfiguration { $0.virtualDevices = [] }
        configuration.shutdown.drain = .zero
        configuration.discovery.multicast.isEnabled = true
        configuration.discovery.stopWhenUnused = .seconds(1)
        let network = Network()
        try await RunningGateway.with(configuration, network: network) { running in
            #expect(await network.steps.next() == .started)
            try await body(running, network)
        }
    }

    private static func state(_ running: RunningGateway) async throws -> String? {
        try await running.gateway.operations.call("devices.list", [:], for: .admin).get().body
            .object("discovery")?.string("state")
    }

    @Test func aCallHasDevicesSearchedForAgain() async throws {
        try await Self.with { running, network in
            #expect(await network.steps.next() == .stopped)
            #expect(running.gateway.deviceDiscovery.state == .stopped)
            // The call waits until the gateway is back, so it says how things stand then.
            let state = try await Self.state(running)
            #expect(state != nil && state != "stopped")
            #expect(await network.steps.next() == .started)
            #expect(await network.steps.next() == .stopped)
        }
    }

    @Test func aReaderOfEventsHasDevicesSearchedForUntilItLeaves() async throws {
        try await Self.with { running, network in
            #expect(await network.steps.next() == .stopped)
            let feed = try running.gateway.journal.subscribe(to: .all, from: nil, for: .admin) {}
            #expect(await network.steps.next() == .started)
            #expect(running.gateway.context.presence.unusedSince == nil)
            feed.cancel()
            #expect(await network.steps.next() == .stopped)
        }
    }

    /// What an operator stopped is not started by the next use.
    @Test func aSearchThatWasStoppedOnRequestStaysSo() async throws {
        try await Self.with { running, network in
            _ = try await running.gateway.operations.call("discovery.stop", [:], for: .admin).get()
            #expect(await network.steps.next() == .stopped)
            #expect(try await Self.state(running) == "stopped")
            #expect(running.gateway.deviceDiscovery.state == .stopped)
        }
    }
}
