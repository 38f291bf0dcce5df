import CastDiscovery
import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Logging
import NamespaceHandlers
import Testing

@testable import GatewayApp
@testable import GatewayLogging
@testable import GatewaySettings

/// The operations on the gateway itself.
@Suite(.timeLimit(.minutes(2))) struct GatewayOperationsTests {
    @Test func theStatusHasWhatTheListsHave() async throws {
        try await ReloadBench.with { _, bench in
            let call = OperationBench(bench.running)
            let status = try await call.answer("gateway.status")
            #expect(status.string("phase") == "ready")
            #expect(status["plugins"] == .array([]))
            #expect(status.elements("warnings").isEmpty)
            for name: OperationName in ["devices.list", "sessions.list", "senders.list"] {
                for member in try await call.answer(name).members where member.name != "devices" {
                    #expect(status[member.name] == member.value, "\(member.name)")
                }
            }
            let since = try #require(status.int("since"))
            let time = try #require(status.int("time"))
            #expect(since <= time)
        }
    }

    @Test func theHealthIsWhatTheProbeSays() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let health = try await OperationBench(running).answer("gateway.health")
            #expect(health.bool("ready") == true)
            #expect(health.object("checks")?.object("virtual_devices")?.string("hall") == "listening")
        }
    }

    @Test func aReloadThatFailsIsAWarningUntilOneWorks() async throws {
        try await ReloadBench.with { _, bench in
            let call = OperationBench(bench.running)
            var broken = bench.configuration
            broken.gateway.id = "another"
            guard case .failure = await bench.running.gateway.reload(to: broken) else {
                Issue.record("the id of a gateway takes a restart")
                return
            }
            let warning = try #require(try await call.answer("gateway.status").elements("warnings").first)
            #expect(warning.string("code") == "reload_failed")
            #expect(warning.int("since") != nil)
            try await bench.reload()
            #expect(try await call.answer("gateway.status").elements("warnings").isEmpty)
        }
    }

    @Test func routesAreExplainedForTheHandlersThatRun() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let call = OperationBench(running)
            let input: JSONObject = [
                "device": "hall", "namespace": "urn:x-cast:com.google.cast.media", "type": "LOAD",
            ]
            let steps = try await call.answer("route.explain", input).elements("steps")
            #expect(steps.contains { $0.string("phase") == "default" })
            _ = try await call.answer("handler.disable", ["name": "media"])
            let after = try await call.answer("route.explain", input).elements("steps")
            #expect(after.contains { $0.string("phase") == "off" && $0.string("text")?.hasPrefix("media") == true })
            #expect(
                try await call.problem("route.explain", ["device": "attic", "namespace": "urn:x-cast:a"]).code
                    == "unknown_device")
            #expect(
                try await call.problem("route.explain", ["device": "hall", "namespace": "media"]).code
                    == "invalid_input")
        }
    }

    @Test func discoveryStartsAndStops() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let call = OperationBench(running)
            _ = try await call.answer("discovery.stop")
            #expect(running.gateway.deviceDiscovery.state == .stopped)
            _ = try await call.answer("discovery.start")
            #expect(running.gateway.deviceDiscovery.state.isActive)
            _ = try await call.answer("discovery.stop")
            #expect(running.gateway.deviceDiscovery.state == .stopped)
        }
    }

    // MARK: Credentials

    @Test func credentialsAreSetAndNeverShown() async throws {
        let secret = "planted-5ecret"
        let log = LogRecorder()
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.launch.appCredentials["ABCD1234"] = LaunchCredentials(credentials: Secret("of-the-file"))
        try await RunningGateway.with(configuration, makeLogger: { log.logger($0) }) { running in
            let call = OperationBench(running)
            let settings = running.gateway.launchSettings
            var said: [JSONObject] = []
            said.append(
                try await call.answer(
                    "credentials.set", ["app": "CC1AD845", "credentials": .string(secret), "apply_to_load": true]))
            said.append(try await call.answer("credentials.set", ["credentials": .string(secret + "-of-others")]))
            #expect(settings.credentials(for: "CC1AD845")?.credentials.reveal() == secret)
            #expect(settings.credentials(for: "CC1AD845")?.appliesToLoad == true)
            #expect(settings.credentials(for: "00000002")?.credentials.reveal() == secret + "-of-others")
            let list = try await call.answer("credentials.list").elements("credentials")
            said += list
            #expect(list.map { $0.string("app") } == [nil, "ABCD1234", "CC1AD845"])
            #expect(list.map { $0.string("source") } == ["set", "file", "set"])
            #expect(list.map { $0.int("since") != nil } == [true, false, true])
            // What was set goes with a launch, and nothing waits for one any more.
            _ = try await call.answer("virtual_device.launch", ["device": "hall", "app": "CC1AD845"])
            let sent = try await call.answer("credentials.list").elements("credentials").last
            #expect(sent?.bool("pending") == false)
            _ = try await call.answer("credentials.clear", ["app": "ABCD1234"])
            #expect(settings.credentials(for: "ABCD1234") == nil)
            _ = try await call.answer("credentials.clear", ["app": "ABCD1234", "reset": true])
            #expect(settings.credentials(for: "ABCD1234")?.credentials.reveal() == "of-the-file")
            // Nor do refusals quote it.
            let refusals = [
                try await call.problem("credentials.set", ["credentials": .string(secret), "app": "no app"]),
                try await call.problem("credentials.set", ["credentials": [.string(secret)]]),
                try await call.problem("credentials.set", ["credentials": .string(secret + "\u{7}")]),
                try await call.problem(
                    "credentials.set", ["credentials": .string(String(repeating: secret, count: 2000))]),
            ]
            said += refusals.map(\.json)
            said += [try await call.answer("gateway.status"), try await call.answer("device.get", ["device": "hall"])]
            for json in said { #expect(!JSONValue.object(json).text.contains(secret)) }
        }
        for entry in log.entries { #expect(!entry.description.contains(secret)) }
    }

    // MARK: The log

    @Test func levelsAreSetForATime() async throws {
        let (changes, input) = AsyncStream.makeStream(of: LogConfiguration.self)
        try await TemporaryFolder.with { folder in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.gateway.stateDirectory = folder.path
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } },
                    applyLog: { input.yield($0) }, network: AbsentNetwork())
            }
            try await RunningGateway.with(gateway) { running in
                let call = OperationBench(running)
                #expect(try await call.answer("log.get")["set"] == nil)
                var iterator = changes.makeAsyncIterator()
                let set = try await call.answer("log.set", ["levels": ["Device*": "debug"], "seconds": 86_400])
                #expect(set.object("set")?.elements("levels").first?.string("components") == "Device*")
                try await Self.expect(.debug, of: "DeviceSession", in: &iterator)
                // A reload keeps what was set, and takes the rest.
                var other = running.gateway.configuration
                other.log.level = .error
                _ = try await running.gateway.reload(to: other).get()
                let change = await iterator.next()
                let reloaded = try #require(change)
                #expect(reloaded.level(of: "DeviceSession") == .debug)
                #expect(reloaded.level(of: "Gateway") == .error)
                _ = try await call.answer("log.set", ["levels": ["*": "trace"], "seconds": 1])
                try await Self.expect(.trace, of: "Gateway", in: &iterator)
                // The time is over.
                try await Self.expect(.error, of: "Gateway", in: &iterator)
                #expect(try await call.answer("log.get")["set"] == nil)
                _ = try await call.answer("log.set", ["levels": ["*": "trace"]])
                try await Self.expect(.trace, of: "Gateway", in: &iterator)
                let cleared = try await call.answer("log.set", ["levels": [:]])
                #expect(cleared["set"] == nil)
                try await Self.expect(.error, of: "Gateway", in: &iterator)
                for input: JSONObject in [
                    ["levels": ["*": "loud"]], ["levels": ["*": "debug"], "seconds": 0], ["seconds": 5],
                ] {
                    #expect(try await call.problem("log.set", input).code == "invalid_input")
                }
            }
        }
    }

    private static func expect(
        _ level: LogConfiguration.Level, of component: String,
        in changes: inout AsyncStream<LogConfiguration>.AsyncIterator
    ) async throws {
        let change = await changes.next(isolation: #isolation)
        let next = try #require(change)
        #expect(next.level(of: component).rawValue == level.rawValue)
    }
}
