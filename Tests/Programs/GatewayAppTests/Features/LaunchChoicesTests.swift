import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import NamespaceHandlers
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// What of `launch` is chosen while a gateway runs.
@Suite(.timeLimit(.minutes(1))) struct LaunchChoicesTests {
    private static func configuration(_ folder: TemporaryFolder) -> GatewayConfiguration {
        var configuration = GatewayConfiguration { $0.virtualDevices = [] }
        configuration.gateway.stateDirectory = folder.path
        configuration.gateway.name = "Lobby"
        configuration.shutdown.drain = .zero
        configuration.launch.language = "en-US"
        configuration.discovery.receiverApps = ["CC1AD845", "0F5096E8"]
        return configuration
    }

    private static func call(
        _ gateway: RunningGateway, _ name: OperationName, _ input: JSONObject = [:]
    ) async throws -> JSONObject {
        try await gateway.gateway.operations.call(name, input, for: .admin).get().body
    }

    @Test func whatIsKeptHoldsAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(folder)
        try await RunningGateway.with(configuration) { running in
            let events = running.gateway.events.subscribe { if case .launchChanged = $0 { true } else { false } }
            let before = try await Self.call(running, "launch.get")
            #expect(before.string("language") == "en-US" && before.string("receiver_app") == "CC1AD845")
            #expect(before.string("sender_name") == "Lobby" && before.array("set") == [])
            let kept = try await Self.call(
                running, "launch.set", ["receiver_app": "ABCD1234", "language": "de-DE", "keep": true])
            #expect(kept.array("kept") == ["receiver_app", "language"])
            let set = try await Self.call(
                running, "launch.set", ["relaunch_if_running": true, "android_receiver_compatible": true])
            #expect(set.array("set")?.count == 4 && set.array("kept") == ["receiver_app", "language"])
            #expect(try await Self.call(running, "gateway.get").string("receiver_app") == "ABCD1234")
            var told = events.events.makeAsyncIterator()
            #expect(await told.next() == .launchChanged(keys: ["receiver_app", "language"]))
            #expect(
                await told.next() == .launchChanged(keys: ["relaunch_if_running", "android_receiver_compatible"]))
        }
        try await RunningGateway.with(configuration) { running in
            let again = try await Self.call(running, "launch.get")
            #expect(again.string("receiver_app") == "ABCD1234" && again.string("language") == "de-DE")
            #expect(again.bool("relaunch_if_running") == false)
            let reset = try await Self.call(running, "launch.reset", ["keys": ["language"]])
            #expect(reset.string("language") == "en-US" && reset.array("kept") == ["receiver_app"])
            #expect(try await Self.call(running, "launch.reset").string("receiver_app") == "CC1AD845")
        }
        try await RunningGateway.with(configuration) { running in
            let last = try await Self.call(running, "launch.get")
            #expect(last.array("set") == [])
        }
        withExtendedLifetime(folder) {}
    }

    @Test func launchesFollowIt() async throws {
        try await DeviceOperationsBench.with { bench in
            try await bench.call(
                "launch.set", ["receiver_app": "ABCD1234", "language": "fr-FR", "sender_name": "Foyer"])
            let session = try await bench.call("session.start", ["device": "wall"])
            #expect(session.string("app") == "ABCD1234")
            #expect(session.object("options")?.string("language") == "fr-FR")
            #expect(session.object("options")?.string("sender_name") == "Foyer")
            let guest = Caller(name: "guest", scopes: [.read, .control], devices: nil)
            #expect(try await bench.problem("launch.set", ["language": "de"], for: guest)?.code == "scope_missing")
        }
    }

    @Test func aValueOfAnotherTypeIsNoChoice() {
        var choices = LaunchChoices()
        choices[.language] = 3
        choices[.receiverApp] = "not an app"
        choices[.relaunchIfRunning] = "yes"
        #expect(choices.keys.isEmpty)
        choices[.language] = "de"
        choices[.language] = .null
        #expect(choices.keys.isEmpty)
    }
}
