import CastwayTestSupport
import Foundation
import GatewayFixtures
import Testing

@Suite(.timeLimit(.minutes(3))) struct RunCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func itRunsAndSaysWhatToTry() async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        let summary = await process.wait(for: "castway-root.pem\n")
        let command = try #require(summary.firstMatch(of: #/castway cast (127\.0\.0\.1:\d+) status/#))
        #expect(summary.contains("Great hall  \(command.1)"))
        #expect(summary.contains("the built-in receiver"))
        #expect(summary.contains("projector at 127.0.0.1:1"))
        #expect(summary.contains("127.0.0.1 are not announced by mDNS"))
        #expect(summary.contains("identity export-root --output"))
        let status = try await CastwayProcess.run("cast", String(command.1), "status")
        #expect(status.status == 0)
        process.terminate()
        let result = await process.result()
        #expect(result.status == 0)
        let lines = result.errorLines
        #expect(lines.contains { $0.contains(#""msg":"Listening","component":"VirtualDevice""#) })
        #expect(lines.allSatisfy { $0.hasPrefix(#"{"time":""#) })
    }

    /// Senders that are passed through get no certificate of the gateway's, and reach devices in networks that this machine is not in.
    @Test func whereAllArePassedThroughOtherCommandsAreNamed() async throws {
        try self.folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {mdns: {enabled: false}, static: [{name: tv-12, address: "127.0.0.1:1"}]}
            virtual_devices:
              - {name: room-12, listen: "127.0.0.1:0", publish: false, target: {passthrough: tv-12}, senders: {join: required}}

            """, to: "gateway.yaml")
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        let summary = await process.wait(for: "code create room-12\n")
        #expect(summary.contains("/castway status\n") && summary.contains("/castway doctor\n"), "\(summary)")
        #expect(!summary.contains(" cast 127") && !summary.contains("export-root") && !summary.contains("pychromecast"))
        process.terminate()
        #expect(await process.result().status == 0)
    }

    @Test func theLevelOfTheEnvironmentWins() async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(
            ["run"], environment: ["CASTWAY_LOG_LEVEL": "error"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        process.terminate()
        let result = await process.result()
        #expect(result.status == 0)
        #expect(!result.errors.contains(#""level":"info""#))
        let wrong = try await CastwayProcess.run(
            "run", environment: ["CASTWAY_LOG_LEVEL": "loud"], folder: self.folder.path)
        #expect(wrong.status == 64)
        #expect(wrong.errorLines.count == 1)
    }

    @Test func anAddressInUseIs98() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            try self.folder.writeConfiguration(port: gateway.ports["hall"] ?? 0)
            let result = try await CastwayProcess.run(
                "run", environment: ["CASTWAY_LOG_LEVEL": "error"], folder: self.folder.path)
            #expect(result.status == 98)
            let message = result.errorLines.last ?? ""
            #expect(message.hasPrefix("castway: virtual device 'hall' cannot listen on 127.0.0.1:"))
            #expect(message.contains("Address already in use"))
            #expect(!result.errors.contains("bind("))
        }
    }

    @Test func withoutDevicesItSaysSo() async throws {
        try self.folder.write("version: 1\ngateway: {state_directory: state}\n", to: "gateway.yaml")
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        let summary = await process.wait(for: "\n")
        #expect(summary.contains("no virtual device in gateway.yaml"))
        process.interrupt()
        #expect(await process.result().status == 0)
    }
}
