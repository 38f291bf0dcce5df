import CastDiscovery
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Logging
import PluginHosting
import Testing

/// What `castway check` accepts, `castway run` starts; what it refuses, it gives a reason for.
@Suite struct AcceptedConfigurationTests {
    private struct Outcome {
        var accepted = 0
        var refused = 0
        /// The codes of the reasons, with how many files had them.
        var codes: [ConfigProblem.Code: Int] = [:]
    }

    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures")

    /// Ports outside the range that the system gives to those who connect.
    private static func pool(in folder: TemporaryFolder) throws -> ConfigurationGenerator.Pool {
        var ports: Set<Int> = []
        while ports.count < 10 { ports.insert(try FreePort.next(in: 20_000...30_000)) }
        let interfaces = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)) ?? ""
        let hasIPv6 = interfaces.contains("00000000000000000000000000000001")
        let good = Self.fixtures.appending(path: "GoodConfigs").path
        let bad = Self.fixtures.appending(path: "BadConfigs").path
        return ConfigurationGenerator.Pool(
            ports: ports.sorted(), hosts: ["127.0.0.1", "127.0.0.2", "0.0.0.0"] + (hasIPv6 ? ["::1", "::"] : []),
            files: [
                "\(good)/identity/root.crt", "\(good)/identity/root.key", "\(good)/anchors/devices.pem",
                "\(bad)/certificates/leaf.crt", "\(bad)/certificates/leaf.key", "\(bad)/certificates/none.pem",
            ],
            pluginDirectories: ["\(bad)/plugin-folders", folder.path], folder: folder.path)
    }

    /// Checks a file as `castway check` does, and starts what is accepted until every device listens.
    private static func judge(
        _ text: String, in folder: TemporaryFolder, _ outcome: inout Outcome
    ) async throws {
        let result = GatewayConfiguration.load(
            path: try folder.write(text, to: "gateway.yaml"), environment: ["CASTWAY_STATE_DIR": folder.path])
        guard var configuration = result.configuration else {
            outcome.refused += 1
            #expect(result.report.hasErrors, "refused without a reason:\n\(text)")
            for problem in result.problems {
                #expect(!problem.message.isEmpty && !problem.location.file.isEmpty, "\(problem.code) in\n\(text)")
            }
            for code in Set(result.problems.map(\.code)) { outcome.codes[code, default: 0] += 1 }
            return
        }
        outcome.accepted += 1
        // Keys take a while to make, so all gateways share those of a few names.
        configuration.gateway.stateDirectory = folder.path
        // Plugins are registered, and not run: that they start is not the configuration's business.
        for index in configuration.plugins.instances.indices {
            configuration.plugins.instances[index].isEnabled = false
            configuration.plugins.instances[index].isRequired = false
        }
        do {
            let gateway = try await RunningGateway.sharingKeys {
                try await Gateway(
                    configuration: configuration, makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } },
                    network: AbsentNetwork())
            }
            try await RunningGateway.with(gateway, awaitsDevices: false) { running in
                #expect(running.ports.count == configuration.virtualDevices.count)
            }
        } catch {
            Issue.record("accepted, and not started: \(error)\n\(text)")
        }
    }

    @Test(.timeLimit(.minutes(10))) func whateverIsAcceptedStarts() async throws {
        try await TemporaryFolder.with { folder in
            let pool = try Self.pool(in: folder)
            var generator = ConfigurationGenerator(random: SeededGenerator(seed: 15), pool: pool)
            var outcome = Outcome()
            for _ in 0..<600 {
                try await Self.judge(generator.text(of: GatewayConfiguration.schema), in: folder, &outcome)
            }
            let generated = outcome
            let originals = try Self.originals(pool)
            for original in originals {
                let before = outcome.accepted
                try await Self.judge(original, in: folder, &outcome)
                #expect(outcome.accepted == before + 1, "not accepted as it is:\n\(original)")
                for _ in 0..<90 { try await Self.judge(generator.mutated(original), in: folder, &outcome) }
            }
            // The last of the chain relays to the first.
            let loop = originals[1].replacing(
                "address: \"127.0.0.1:\(pool.ports[3])\"}",
                with: """
                    address: "127.0.0.1:\(pool.ports[3])"}
                        - {name: again, address: "127.0.0.1:\(pool.ports[1])"}
                    """
            ).replacing("target: local", with: "target: {device: again}")
            try await Self.judge(loop, in: folder, &outcome)
            // Of both kinds there have to be enough, or nothing is shown.
            #expect(generated.accepted > 40 && generated.refused > 40, "\(generated)")
            #expect(outcome.accepted - generated.accepted > 30, "\(outcome)")
            let expected: Set<ConfigProblem.Code> = [
                .addressInUse, .claimConflict, .unusableFile, .relayLoop, .duplicateName, .undefinedReference,
            ]
            #expect(expected.subtracting(outcome.codes.keys).isEmpty, "\(outcome.codes)")
        }
    }

    /// The file that ships, and others that are right, with ports on which nothing listens.
    private static func originals(_ pool: ConfigurationGenerator.Pool) throws -> [String] {
        let root = Self.fixtures.deletingLastPathComponent().deletingLastPathComponent()
        var shipped = try String(contentsOf: root.appending(path: "gateway.yaml"), encoding: .utf8)
        for (index, port) in ["8009", "8008", "8443", "8019"].enumerated() {
            shipped = shipped.replacing(":\(port)", with: ":\(pool.ports[index])")
        }
        let ports = pool.ports
        let chain = """
            version: 1
            admin: {listen: "127.0.0.1:\(ports[0])"}
            identity:
              root_certificate_file: \(pool.files[0])
              root_private_key_file: \(pool.files[1])
            discovery:
              mdns: {enabled: false}
              static:
                - {name: office, address: "127.0.0.1:\(ports[2])"}
                - {name: bench, address: "127.0.0.1:\(ports[3])"}
            virtual_devices:
              - name: hall
                listen: "127.0.0.1:\(ports[1])"
                target: {device: office}
              - name: lobby
                listen: "127.0.0.1:\(ports[2])"
                target: {device: bench}
              - name: bench
                listen: "127.0.0.1:\(ports[3])"
                target: local
                setup: {http: "127.0.0.1:\(ports[4])"}
            channels:
              - {namespace: "urn:x-cast:com.example.echo", handler: echo}
            plugins:
              directory: \(pool.pluginDirectories[0])
              instances:
                - name: office
                  plugin: com.example.quiz
                  grant:
                    namespaces:
                      - {match: "urn:x-cast:com.example.quiz", phase: handle}
                  config: {questions: 5}

            """
        return [shipped, chain]
    }
}
