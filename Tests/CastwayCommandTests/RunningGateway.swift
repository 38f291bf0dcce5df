import Foundation
import GatewayApp
import GatewayConfig
import NamespaceHandlers
import VirtualDevices

/// A gateway in this process with two virtual devices, for as long as a body runs.
struct RunningGateway: Sendable {
    /// The ports of the virtual devices by name: `hall` plays, `office` refuses.
    let ports: [String: Int]

    static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "castway-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = try await Gateway(configuration: Self.configuration(stateDirectory: folder.path))
        let (ready, readyInput) = AsyncStream.makeStream(of: [VirtualDeviceEndpoints].self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { readyInput.finish() }
                try await gateway.run { readyInput.yield($0) }
            }
            let endpoints = await ready.first { _ in true } ?? []
            try await body(
                RunningGateway(ports: Dictionary(uniqueKeysWithValues: endpoints.map { ($0.name, $0.castPort) })))
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
    }

    private static func configuration(stateDirectory: String) -> GatewayConfiguration {
        let anywhere = ListenAddress(host: "127.0.0.1", port: 0)
        var options = SimulationOptions(loadDelay: .zero, buffering: .zero)
        options.failures = [SimulatedFailure(match: Glob("*broken*"), detailedErrorCode: 104)]
        let apps = [
            VirtualAppConfiguration(id: "CC1AD845", player: .simulated, options: options),
            VirtualAppConfiguration(id: "ABCD1234", namespaces: ["urn:x-cast:com.example.echo"]),
            VirtualAppConfiguration(id: "00000001", launch: .notAllowed),
            VirtualAppConfiguration(id: "00000002", launch: .timeout),
        ]
        var configuration = GatewayConfiguration(
            virtualDevices: [
                VirtualDeviceConfiguration(name: "hall", listen: anywhere, target: .local, apps: apps),
                VirtualDeviceConfiguration(name: "office", listen: anywhere, target: .local, apps: []),
            ],
            channels: [ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo)])
        configuration.gateway.stateDirectory = stateDirectory
        configuration.shutdown.drain = .zero
        return configuration
    }
}
