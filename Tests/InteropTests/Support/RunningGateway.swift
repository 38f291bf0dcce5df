import GatewayApp
import GatewayCore
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import VirtualDevices

/// A gateway in this process, with every virtual device listening.
struct RunningGateway {
    /// It did not come up, and did not say why.
    struct NotStarted: Error {}

    let registry: HandlerRegistry
    private let ports: [String: Int]

    /// The port of a virtual device.
    func port(_ device: String) -> Int { self.ports[device] ?? 0 }

    /// Runs a gateway as long as `body` does; when this returns, it has shut down gracefully.
    ///
    /// `body` begins when senders can connect and, if `awaitsDevices`, every device of `discovery.static` is reached.
    static func with(
        _ configuration: GatewayConfiguration, awaitsDevices: Bool = true,
        body: (RunningGateway) async throws -> Void
    ) async throws {
        let gateway = try await Gateway(
            configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
        let online = gateway.events.subscribe { if case .deviceOnline = $0 { true } else { false } }
        let (starts, start) = AsyncStream.makeStream(of: ([VirtualDeviceEndpoints], GracefulShutdownTestTrigger).self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { start.finish() }
                try await testGracefulShutdown { trigger in
                    try await gateway.run { start.yield(($0, trigger)) }
                }
            }
            guard let (endpoints, trigger) = await starts.first(where: { _ in true }) else {
                try await group.waitForAll()
                throw NotStarted()
            }
            if awaitsDevices {
                await Self.wait(for: configuration.discovery.staticDevices.map(\.name), in: online.events)
            }
            let ports = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.name, $0.castPort) })
            do {
                try await body(RunningGateway(registry: gateway.registry, ports: ports))
            } catch {
                trigger.triggerGracefulShutdown()
                throw error
            }
            trigger.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    private static func wait(for devices: [String], in events: AsyncStream<GatewayEvent>) async {
        var missing = Set(devices)
        guard !missing.isEmpty else { return }
        for await case .deviceOnline(let device) in events {
            missing.remove(device)
            if missing.isEmpty { return }
        }
    }
}
