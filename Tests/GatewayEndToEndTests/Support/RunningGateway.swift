import GatewayApp
import GatewayConfig
import Logging
import ServiceLifecycleTestKit
import VirtualDevices

/// A gateway that runs while a test's body does.
struct RunningGateway: Sendable {
    let gateway: Gateway
    /// The ports of the virtual devices, by name.
    let ports: [String: Int]

    /// Runs a gateway with its state in a folder of its own, and stops it gracefully behind the body.
    static func run<Result: Sendable>(
        _ devices: [VirtualDeviceConfiguration], change: (inout GatewayConfiguration) -> Void = { _ in },
        makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) },
        body: @escaping @Sendable (RunningGateway) async throws -> Result
    ) async throws -> Result {
        try await TemporaryFolder.with { folder in
            var configuration = GatewayConfiguration(virtualDevices: devices)
            configuration.gateway.stateDirectory = folder
            change(&configuration)
            let gateway = try await Gateway(configuration: configuration, makeLogger: makeLogger)
            return try await testGracefulShutdown { trigger in
                let (ready, readyInput) = AsyncStream.makeStream(of: [VirtualDeviceEndpoints].self)
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        defer { readyInput.finish() }
                        try await gateway.run { readyInput.yield($0) }
                    }
                    guard let endpoints = await ready.first(where: { _ in true }) else {
                        try await group.waitForAll()
                        throw GatewayDidNotStart()
                    }
                    let ports = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.name, $0.castPort) })
                    let result = try await body(RunningGateway(gateway: gateway, ports: ports))
                    trigger.triggerGracefulShutdown()
                    try await group.waitForAll()
                    return result
                }
            }
        }
    }

    /// A local receiver named `bench` on a port of the system's choice.
    static var bench: VirtualDeviceConfiguration {
        VirtualDeviceConfiguration(
            name: "bench", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local)
    }
}

struct GatewayDidNotStart: Error {}
