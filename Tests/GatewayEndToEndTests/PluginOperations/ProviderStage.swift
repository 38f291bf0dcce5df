import CastWire
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import Testing

/// A gateway with one of the plugins that ship and provide something, from a file of the test's own.
struct ProviderStage {
    let running: RunningGateway
    let folder: TemporaryFolder

    /// Runs a gateway while the body does.
    /// - Parameters:
    ///   - plugin: its folder below `Plugins`.
    ///   - file: `gateway.yaml` but for its version, its state, and where plugins are; `PLUGINS` stands for that folder.
    ///   - prepare: called before the gateway starts.
    static func run(
        _ plugin: String, file: String, prepare: (TemporaryFolder) throws -> Void = { _ in },
        _ body: (ProviderStage) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            for name in ["state", "plugins/\(plugin)"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            let source = ShippedStage.checkout.appending(path: "Plugins/\(plugin)")
            for name in try FileManager.default.contentsOfDirectory(atPath: source.path)
            where !["tests", "__pycache__"].contains(name) {
                try FileManager.default.copyItem(
                    atPath: source.appending(path: name).path, toPath: folder.file("plugins/\(plugin)/\(name)"))
            }
            try prepare(folder)
            let head = """
                version: 1
                gateway: {state_directory: \(folder.file("state"))}
                discovery: {mdns: {enabled: false}}

                """
            try folder.write(
                head + file.replacing("PLUGINS", with: folder.file("plugins")), to: "gateway.yaml")
            let result = GatewayConfiguration.load(path: folder.file("gateway.yaml"), environment: [:])
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } })
            }
            try await RunningGateway.with(gateway) { try await body(ProviderStage(running: $0, folder: folder)) }
        }
    }
}
