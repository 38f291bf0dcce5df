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

/// What the gateway's own sessions launch with on the devices of one category.
@Suite(.timeLimit(.minutes(1))) struct LaunchCategoryTests {
    private static func configuration(_ folder: TemporaryFolder) -> GatewayConfiguration {
        var configuration = GatewayConfiguration { $0.virtualDevices = [] }
        configuration.gateway.stateDirectory = folder.path
        configuration.shutdown.drain = .zero
        configuration.launch.language = "en-US"
        configuration.launch.categories = [
            CategoryLaunchConfiguration(.virtual) {
                $0.language = "de-DE"
                $0.relaunchesIfRunning = true
            }
        ]
        return configuration
    }

    private static func call(
        _ running: RunningGateway, _ name: OperationName, _ input: JSONObject = [:]
    ) async throws -> JSONObject {
        try await running.gateway.operations.call(name, input, for: .admin).get().body
    }

    private static func category(_ name: String, in launch: JSONObject) -> JSONObject? {
        (launch.array("categories") ?? []).compactMap(\.objectValue).first { $0.string("category") == name }
    }

    @Test func whatIsChosenForACategoryGoesFirst() {
        let settings = LaunchSettings(
            LaunchConfiguration {
                $0.language = "en-US"
                $0.categories = [CategoryLaunchConfiguration(.virtual) { $0.language = "de-DE" }]
            })
        let annex = DeviceCategory(plugin: "annex")
        #expect(settings.configuration(for: .cast).language == "en-US")
        #expect(settings.configuration(for: .virtual).language == "de-DE")
        var choices = LaunchChoices()
        choices[.language] = "fr-FR"
        #expect(settings.choose(choices) == [.language])
        #expect(settings.configuration.language == "fr-FR" && settings.configuration(for: annex).language == "fr-FR")
        // What the file says of a category goes before what was chosen for all.
        #expect(settings.configuration(for: .virtual).language == "de-DE")
        choices[.language] = "es-ES"
        #expect(settings.choose(choices, for: annex) == [.language])
        #expect(settings.configuration(for: annex).language == "es-ES")
        #expect(settings.configuration(for: .cast).language == "fr-FR")
        #expect(settings.allChoices.categories == [annex])
        #expect(settings.choose(LaunchChoices(), for: annex) == [.language])
        #expect(settings.allChoices.categories.isEmpty && settings.choose(LaunchChoices(), for: annex).isEmpty)
    }

    @Test func choicesOfCategoriesAreKept() async throws {
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(folder)
        try await RunningGateway.with(configuration) { running in
            let events = running.gateway.events.subscribe { if case .launchChanged = $0 { true } else { false } }
            let before = try await Self.call(running, "launch.get")
            #expect(Self.category("virtual", in: before)?.string("language") == "de-DE")
            #expect(Self.category("virtual", in: before)?.bool("relaunch_if_running") == true)
            let set = try await Self.call(
                running, "launch.set", ["category": "cast", "language": "fr-FR", "keep": true])
            #expect(set.string("language") == "en-US" && set.array("set") == [])
            #expect(Self.category("cast", in: set)?.string("language") == "fr-FR")
            #expect(Self.category("cast", in: set)?.array("kept") == ["language"])
            var told = events.events.makeAsyncIterator()
            #expect(await told.next() == .launchChanged(keys: ["language"], category: .cast))
        }
        try await RunningGateway.with(configuration) { running in
            let again = try await Self.call(running, "launch.get")
            #expect(again.array("kept") == [] && Self.category("cast", in: again)?.string("language") == "fr-FR")
            // Everything is as the file says, of categories too.
            let reset = try await Self.call(running, "launch.reset")
            #expect(Self.category("cast", in: reset) == nil)
            #expect(Self.category("virtual", in: reset)?.string("language") == "de-DE")
        }
        try await RunningGateway.with(configuration) { running in
            let last = try await Self.call(running, "launch.get")
            let names = (last.array("categories") ?? []).compactMap { $0.objectValue?.string("category") }
            #expect(names == ["virtual"])
        }
        withExtendedLifetime(folder) {}
    }

    @Test func launchesFollowTheirCategory() async throws {
        try await DeviceOperationsBench.with { bench in
            try await bench.call("launch.set", ["category": "cast", "language": "fr-FR"])
            let session = try await bench.call("session.start", ["device": "wall", "app": "CC1AD845"])
            #expect(session.string("category") == "cast")
            #expect(session.object("options")?.string("language") == "fr-FR")
            let unknown = try await bench.problem("launch.set", ["category": "plugin:annex", "language": "de"])
            #expect(unknown?.code == "unknown_category")
            let app = try await bench.problem("launch.set", ["category": "cast", "receiver_app": "CC1AD845"])
            #expect(app?.code == "invalid_input")
        }
    }
}
