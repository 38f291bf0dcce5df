import CastDiscovery
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayTesting
import Logging
import NamespaceHandlers
import PluginHosting
import Synchronization
import Testing
import VirtualDevices

@testable import FeatureContract
@testable import GatewayApp
@testable import GatewayLogging
@testable import GatewaySettings

/// The steps of a reload: their order, and what is left when one of them fails.
@Suite(.timeLimit(.minutes(3))) struct ReloadProcedureTests {
    private let recorder = StepRecorder()

    private func features(failing: RecordingFeature.Failure? = nil) -> [any GatewayFeature] {
        ["first", "second", "third"].map { name in
            RecordingFeature(name: name, recorder: self.recorder, failure: name == "second" ? failing : nil)
        }
    }

    /// A configuration that differs in what may change.
    private static var changed: GatewayConfiguration { GatewayConfiguration { $0.log.level = .debug } }

    private static func steps(_ step: String, _ names: [String] = ["first", "second", "third"]) -> [String] {
        names.map { "\($0) \(step)" }
    }

    @Test func eachStepIsDoneForAllFeaturesBeforeTheNext() async throws {
        let context = GatewayContext.test()
        let procedure = ReloadProcedure(features: self.features(), context: context, source: nil)
        _ = try await procedure.reload(Self.changed, isDryRun: false).get()
        #expect(self.recorder.steps == ["plan", "prepare", "begin", "commit", "settle"].flatMap { Self.steps($0) })
        #expect(context.configuration.current == Self.changed)
    }

    @Test func aDryRunPlansOnly() async throws {
        let context = GatewayContext.test()
        let procedure = ReloadProcedure(features: self.features(), context: context, source: nil)
        _ = try await procedure.reload(Self.changed, isDryRun: true).get()
        #expect(self.recorder.steps == Self.steps("plan"))
        #expect(context.configuration.current == GatewayConfiguration())
    }

    @Test func whereNothingDiffersNothingIsPrepared() async throws {
        let procedure = ReloadProcedure(features: self.features(), context: .test(), source: nil)
        _ = try await procedure.reload(GatewayConfiguration(), isDryRun: false).get()
        #expect(self.recorder.steps == Self.steps("plan"))
    }

    @Test func featuresThatHavePreparedUndoTheLastFirst() async {
        let procedure = ReloadProcedure(features: self.features(failing: .prepare), context: .test(), source: nil)
        let outcome = await procedure.reload(Self.changed, isDryRun: false)
        guard case .failure(.notPrepared(let error)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.reason == "the feature refuses")
        #expect(
            self.recorder.steps == Self.steps("plan") + Self.steps("prepare", ["first", "second"]) + ["first undo"])
    }

    @Test func aBeginThatFailsUndoesAll() async {
        let procedure = ReloadProcedure(features: self.features(failing: .begin), context: .test(), source: nil)
        let outcome = await procedure.reload(Self.changed, isDryRun: false)
        guard case .failure(.notPrepared) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            self.recorder.steps == Self.steps("plan") + Self.steps("prepare")
                + Self.steps("begin", ["first", "second"]) + Self.steps("undo", ["third", "second", "first"]))
    }

    @Test func handlersOfFeaturesAreReplacedInTheirPlaces() async throws {
        let context = GatewayContext.test()
        let namespaces = ["urn:x-cast:com.example.a", "urn:x-cast:com.example.b", "urn:x-cast:com.example.c"]
        let features: [any GatewayFeature] = [
            RecordingFeature(
                name: "moves", recorder: self.recorder, handler: RecordingFeature.handler("moves", namespaces[0]),
                newClaim: Claim(.exact(Namespace(rawValue: namespaces[2])))),
            RecordingFeature(
                name: "stays", recorder: self.recorder, handler: RecordingFeature.handler("stays", namespaces[1])),
        ]
        try context.registry.replaceAll(with: features.flatMap(\.handlers))
        let procedure = ReloadProcedure(features: features, context: context, source: nil)
        _ = try await procedure.reload(Self.changed, isDryRun: false).get()
        let entries = context.registry.table.entries
        #expect(entries.map(\.handler.name) == ["moves", "stays"])
        #expect(entries.map { "\($0.claim.pattern)" } == [namespaces[2], namespaces[1]])
    }

    /// A feature that comes last and cannot be prepared, begun or registered, behind all those of a gateway that runs.
    @Test(arguments: RecordingFeature.Failure.allCases)
    func aFeatureThatFailsLeavesEveryOtherOneAsItWas(_ failure: RecordingFeature.Failure) async throws {
        let applied = Mutex<[LogConfiguration.Level]>([])
        try await TemporaryFolder.with { folder in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.gateway.stateDirectory = folder.path
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } },
                    applyLog: { log in applied.withLock { $0.append(log.level) } }, network: AbsentNetwork())
            }
            try await RunningGateway.with(gateway) { _ in
                let (before, table) = (Self.look(at: gateway), gateway.registry.table)
                var new = configuration
                new.log.level = .debug
                new.launch.language = "de-CH"
                new.channels = []
                new.virtualDevices[0].friendlyName = "Renamed"
                new.virtualDevices[1] = VirtualDeviceConfiguration(
                    name: "annex", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local)
                let refusing = RecordingFeature(name: "refusing", recorder: self.recorder, failure: failure)
                let outcome = await ReloadProcedure(
                    features: gateway.features + [refusing], context: gateway.context, source: nil
                ).reload(new, isDryRun: false)
                guard case .failure(.notPrepared) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(!self.recorder.steps.contains("refusing commit"))
                #expect(Self.look(at: gateway) == before)
                #expect(gateway.registry.table === table)
                #expect(applied.withLock { $0 } == [])
                // Without the feature the same configuration comes into force.
                _ = try await gateway.reload(to: new).get()
                #expect(gateway.endpoints.map(\.name) == ["annex", "hall"])
                #expect(gateway.launchSettings.configuration.language == "de-CH")
                #expect(applied.withLock { $0 } == [.debug])
            }
        }
    }

    /// What can be seen of a gateway's features.
    private struct View: Equatable {
        let configuration: GatewayConfiguration
        let handlers: [String]
        let endpoints: [VirtualDeviceEndpoints]
        let language: String?
        let plugins: [String]
    }

    private static func look(at gateway: Gateway) -> View {
        View(
            configuration: gateway.configuration, handlers: gateway.features.flatMap(\.handlers).map(\.name),
            endpoints: gateway.endpoints,
            language: gateway.launchSettings.configuration.language, plugins: gateway.plugins.current.map(\.name))
    }
}
