import CastWire
import CastwayTestSupport
import Foundation
import GRDB
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOPosix
import PluginKit
import ServiceLifecycle

@testable import PluginHosting

/// A plugin that runs, behind a router on a real loop.
final class PluginBench: Sendable {
    /// What the router did with a message, as a test sees it.
    enum Step: Hashable, Sendable {
        case forwarded(String)
        case toSenders(String, destination: EndpointID)
        case toReceiver(String)
        case event(GatewayEvent)
    }

    static let namespace: Namespace = "urn:x-cast:test.actor"
    static let session = SessionFacts(
        appID: "ABCD1234", sessionID: "s-1", transportID: "t-1", displayName: "Test", namespaces: [namespace])

    let folder: TemporaryFolder
    let registry = HandlerRegistry()
    let events = EventBus()
    let log = LogRecorder()
    let steps = Inbox<Step>()
    let internalSenders: RecordingInternalSenders
    let service: PluginService
    let context: PluginContext
    let happened: EventSubscription
    private let loop: any EventLoop
    private let router: NIOLoopBound<MessageRouter>

    /// A grant to handle everything in the test's namespace.
    static let handle = GrantedNamespace(PluginClaim(match: namespace.rawValue, phase: .handle))

    private init(
        _ instance: PluginInstance, _ folder: TemporaryFolder, timings: PluginTimings, settings: RouterSettings
    ) async throws {
        self.folder = folder
        let log = self.log
        self.internalSenders = RecordingInternalSenders()
        self.context = PluginContext(
            gateway: GatewayIdentity(id: "gw", name: "Test", version: "1"), registry: self.registry,
            events: self.events, internalSenders: self.internalSenders,
            store: try PluginDatabase(database: try DatabaseQueue(path: folder.file("state.db"))),
            stateDirectory: folder.file("state"), launcher: LauncherPath.found,
            eventLoops: MultiThreadedEventLoopGroup.singleton, makeLogger: { log.logger($0) }, timings: timings)
        try FileManager.default.createDirectory(
            atPath: folder.file("state"), withIntermediateDirectories: true)
        self.service = PluginService(instance: instance, context: self.context)
        self.happened = self.events.subscribe()
        try self.registry.register(self.service.handler)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        let (registry, steps) = (self.registry, self.steps)
        self.router = try await loop.submit {
            let router = MessageRouter(
                registry: registry, settings: settings, eventLoop: loop, output: StepOutput(steps),
                logger: log.logger("router"))
            return NIOLoopBound(router, eventLoop: loop)
        }.get()
    }

    /// Writes the actor's folder.
    static func instance(
        in folder: TemporaryFolder, config: JSONObject = [:], namespaces: [GrantedNamespace] = [PluginBench.handle],
        version: String = "1", _ change: (inout PluginInstance) -> Void = { _ in }
    ) throws -> PluginInstance {
        let path = folder.file("test.actor")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "actor.py")
        let program = try String(contentsOf: source, encoding: .utf8)
        try folder.write(program, to: "test.actor/actor.py")
        var instance = PluginInstance(
            name: "actor", plugin: "test.actor", folder: path,
            manifest: PluginManifest(id: "test.actor", version: version) {
                $0.command = ["python3", "-u", "actor.py"]
                $0.claims = namespaces.map(\.claim)
            }
        ) {
            $0.namespaces = namespaces
            $0.config = config
        }
        instance.settings.handleDeadline = .seconds(20)
        instance.settings.filterDeadline = .seconds(20)
        instance.settings.onFailure = .closed
        instance.settings.restart.initial = .milliseconds(10)
        change(&instance)
        return instance
    }

    /// Runs a plugin while the body does, and ends it.
    /// - Parameter isCancelled: ends it as a gateway does whose time to stop is over.
    static func run(
        config: JSONObject = [:], namespaces: [GrantedNamespace] = [PluginBench.handle],
        timings: PluginTimings = PluginTimings(), settings: RouterSettings = RouterSettings(),
        isCancelled: Bool = false, _ change: (inout PluginInstance) -> Void = { _ in },
        body: (PluginBench) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let instance = try Self.instance(in: folder, config: config, namespaces: namespaces, change)
            let bench = try await PluginBench(instance, folder, timings: timings, settings: settings)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await bench.service.run() }
                do {
                    try await body(bench)
                } catch {
                    bench.service.finish()
                    throw error
                }
                if isCancelled { group.cancelAll() } else { bench.service.finish() }
                try await group.waitForAll()
            }
            let router = bench.router
            try await bench.loop.submit { router.value.shutdown() }.get()
        }
    }

    /// Waits for an event about the plugin.
    func change(_ pick: (PluginChange) -> Bool) async -> PluginChange? {
        for await event in self.happened.events {
            if case .plugin(_, let change) = event, pick(change) { return change }
        }
        return nil
    }

    /// Waits until the plugin is ready.
    /// - Throws: When the test is over before.
    func ready() async throws {
        guard await self.change({ if case .ready = $0 { true } else { false } }) != nil else {
            throw CancellationError()
        }
    }

    /// Routes a message of a sender.
    func send(
        _ text: String, from source: String = "sender-1", to destination: String = "t-1",
        direction: MessageDirection = .toReceiver, origin: MessageOrigin? = nil
    ) async throws {
        let message = CastMessage(
            source: EndpointID(rawValue: source), destination: EndpointID(rawValue: destination),
            namespace: Self.namespace, payload: .text(text))
        try await self.loop.submit {
            self.router.value.route(
                RoutedMessage(
                    message, direction: direction, device: .test(name: "lobby"),
                    connection: ConnectionID(rawValue: 1), senderAddress: "192.0.2.7", session: Self.session,
                    origin: origin))
        }.get()
    }

    /// Routes a message, and waits for the answer to its sender.
    func ask(_ text: String, from source: String = "sender-1") async throws -> JSONObject {
        try await self.send(text, from: source)
        return await self.answer()
    }

    /// Waits for a message to a sender.
    func answer() async -> JSONObject {
        let text = await self.steps.next { if case .toSenders(let text, _) = $0 { text } else { nil } }
        return (try? JSONReader.read(text ?? ""))?.objectValue ?? [:]
    }

    /// The router's counts.
    func counts() async throws -> RoutingCounts {
        try await self.loop.submit { self.router.value.counts }.get()
    }

    /// Waits for a line of the log.
    func logged(_ message: String) async -> LogRecorder.Entry? {
        while true {
            if let entry = self.log.entries.first(where: { $0.message == message }) { return entry }
            guard !Task.isCancelled else { return nil }
            await Task.yield()
        }
    }
}

/// A router's output that tells a test.
private final class StepOutput: RouterOutput {
    private let steps: Inbox<PluginBench.Step>

    init(_ steps: Inbox<PluginBench.Step>) {
        self.steps = steps
    }

    func forward(_ message: RoutedMessage) { self.steps.put(.forwarded(message.message.payload.text ?? "")) }
    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {
        self.steps.put(.toSenders(message.payload.text ?? "", destination: message.destination))
    }
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {
        self.steps.put(.toReceiver(message.payload.text ?? ""))
    }
    func session(at transport: EndpointID) -> SessionFacts? { nil }
    func emit(_ event: GatewayEvent) { self.steps.put(.event(event)) }
    func flush() {}
}
