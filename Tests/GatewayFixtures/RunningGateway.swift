package import CastDiscovery
import CastIdentity
import CastwayTestSupport
package import GatewayApp
import GatewayCore
package import GatewaySettings
package import Logging
import ServiceLifecycleTestKit
import VirtualDevices

/// A gateway in this process, with every virtual device listening.
package struct RunningGateway: Sendable {
    /// The gateway did not start, and threw no error.
    package struct NotStarted: Error {}

    /// The gateway itself.
    package let gateway: Gateway
    /// The ports of the virtual devices, by name.
    package let ports: [String: Int]

    /// The port of a virtual device; 0 for one that does not exist.
    package func port(_ device: String) -> Int { self.ports[device] ?? 0 }

    /// Runs a gateway as long as `body` does; when this returns, it has shut down gracefully.
    ///
    /// `body` begins when senders can connect and, if `awaitsDevices`, every device of `discovery.static` is reached.
    /// - Parameters:
    ///   - configuration: what to run. Its state goes into a folder of its own, which goes with the gateway, unless
    ///     the configuration names another than the default.
    ///   - network: where devices are found and announced; nowhere, if not told.
    ///   - makeLogger: where the log goes; nowhere, if not told.
    package static func with<Result: Sendable>(
        _ configuration: GatewayConfiguration, awaitsDevices: Bool = true,
        network: any MulticastNetwork = AbsentNetwork(),
        makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } },
        body: (RunningGateway) async throws -> Result
    ) async throws -> Result {
        try await TemporaryFolder.with { folder in
            var configuration = configuration
            if configuration.gateway.stateDirectory == GeneralConfiguration().stateDirectory {
                configuration.gateway.stateDirectory = folder.path
            }
            let made = configuration
            let gateway = try await Self.sharingKeys {
                try await Gateway(configuration: made, makeLogger: makeLogger, network: network)
            }
            return try await Self.run(gateway, awaitsDevices: awaitsDevices, body: body)
        }
    }

    /// Makes a gateway whose new identities share a few keys with those of other gateways of this process; ids, certificates and
    /// roots are its own. For tests that do not look at keys, since making them takes a second.
    package static func sharingKeys<Made>(_ make: () async throws -> Made) async rethrows -> Made {
        try await RSAKeySource.$current.withValue(.shared, operation: make)
    }

    /// Runs a gateway that was made before as long as `body` does, as the other does with a configuration.
    package static func with<Result: Sendable>(
        _ gateway: Gateway, awaitsDevices: Bool = true, body: (RunningGateway) async throws -> Result
    ) async throws -> Result {
        try await Self.run(gateway, awaitsDevices: awaitsDevices, body: body)
    }

    private static func run<Result: Sendable>(
        _ gateway: Gateway, awaitsDevices: Bool, body: (RunningGateway) async throws -> Result
    ) async throws -> Result {
        let online = gateway.events.subscribe { if case .deviceOnline = $0 { true } else { false } }
        let (starts, start) = AsyncStream.makeStream(of: ([VirtualDeviceEndpoints], GracefulShutdownTestTrigger).self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
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
                await Self.wait(for: gateway.configuration.discovery.staticDevices.map(\.name), in: online.events)
            }
            let ports = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.name, $0.castPort) })
            let result: Result
            do {
                result = try await body(RunningGateway(gateway: gateway, ports: ports))
            } catch {
                trigger.triggerGracefulShutdown()
                throw error
            }
            trigger.triggerGracefulShutdown()
            try await group.waitForAll()
            return result
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
