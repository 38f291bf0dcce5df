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

@testable import DeviceControl
@testable import GatewayApp
@testable import GatewaySettings

/// A gateway that nothing uses goes to the background, and comes back with the first that does.
@Suite(.timeLimit(.minutes(2))) struct BackgroundTests {
    private static let times = BackgroundStateMachine.Times(suspend: .minutes(5), stopDiscovery: .minutes(60))

    @Test func eachPartHasItsTime() {
        var machine = BackgroundStateMachine(mayHaveLeft: false)
        #expect(machine.passed(unused: .minutes(4), Self.times) == [] && !machine.isAway)
        #expect(machine.passed(unused: .minutes(5), Self.times) == [.suspendSessions] && machine.isAway)
        #expect(machine.passed(unused: .minutes(6), Self.times) == [])
        #expect(machine.passed(unused: .minutes(60), Self.times) == [.stopDiscovery])
        #expect(machine.used() == [.startDiscovery, .resumeSessions] && !machine.isAway)
        #expect(machine.used() == [])
        // Something uses it, though it was not heard of.
        _ = machine.passed(unused: .minutes(5), Self.times)
        #expect(machine.passed(unused: nil, Self.times) == [.resumeSessions])
    }

    @Test func aReloadWithoutTheKeysBringsItBack() {
        var machine = BackgroundStateMachine(mayHaveLeft: false)
        _ = machine.passed(unused: .minutes(61), Self.times)
        #expect(machine.passed(unused: .minutes(62), .init()) == [.resumeSessions, .startDiscovery])
        #expect(!machine.isAway)
    }

    @Test func whatAnEarlierRunLeftIsResumedByTheFirstUse() {
        var machine = BackgroundStateMachine(mayHaveLeft: true)
        #expect(machine.isAway && machine.passed(unused: .minutes(1), Self.times) == [])
        #expect(machine.used() == [.resumeSessions] && !machine.isAway)
    }

    /// A gateway that suspends sessions after a second, with a session on the wall.
    private static func with(_ body: (RunningGateway, EventSubscription) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { wall in
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.shutdown.drain = .zero
            configuration.sessions.suspendWhenUnused = .seconds(1)
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wall.port("hall")))
            ]
            try await RunningGateway.with(configuration) { near in
                let changes = near.gateway.events.subscribe { if case .castSession = $0 { true } else { false } }
                _ = try await near.gateway.operations.call(
                    "session.start", ["device": "wall", "app": "CC1AD845"], for: .admin
                ).get()
                try await body(near, changes)
            }
        }
    }

    private static func wait(for wanted: CastSessionChange, in changes: EventSubscription) async -> Bool {
        for await event in changes.events {
            if case .castSession(_, let change) = event, change == wanted { return true }
        }
        return false
    }

    @Test func aCallWaitsUntilSessionsAreBack() async throws {
        try await Self.with { near, changes in
            #expect(await Self.wait(for: .didSuspend(.appBackgrounded), in: changes))
            // It finds the session as if nothing had happened.
            let answer = try await near.gateway.operations.call(
                "media.load", ["device": "wall", "url": "http://192.0.2.1/film.mp4"], for: .admin
            ).get().body
            #expect(answer.string("content_url") == "http://192.0.2.1/film.mp4")
            #expect(await Self.wait(for: .didResume(.foreground), in: changes))
        }
    }

    @Test func aReaderOfEventsIsAUse() async throws {
        try await Self.with { near, changes in
            #expect(await Self.wait(for: .didSuspend(.appBackgrounded), in: changes))
            let feed = try near.gateway.journal.subscribe(to: .all, from: nil, for: .admin) {}
            #expect(await Self.wait(for: .didResume(.foreground), in: changes))
            #expect(near.gateway.context.presence.unusedSince == nil)
            feed.cancel()
            #expect(await Self.wait(for: .didSuspend(.appBackgrounded), in: changes))
        }
    }

    @Test func aSessionThatWasSuspendedOnRequestStaysSo() async throws {
        try await Self.with { near, changes in
            _ = try await near.gateway.operations.call("session.suspend", ["session": "device:wall"], for: .admin).get()
            #expect(await Self.wait(for: .didSuspend(.appBackgrounded), in: changes))
            // The first use of this run may resume what an earlier one left, so that is over by now.
            let state = try await near.gateway.operations.call("session.get", ["session": "device:wall"], for: .admin)
                .get().body
            #expect(state.string("suspend_reason") == "app_backgrounded")
        }
    }
}
