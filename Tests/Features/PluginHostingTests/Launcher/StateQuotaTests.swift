import CastwayTestSupport
import Foundation
import GatewayCore
import Glibc
import Testing

@testable import PluginHosting

/// How much a plugin may keep in its state folder.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateQuotaTests {
    /// Runs a script of Python, which finds its state folder in HOME, until it ends or is ended.
    private static func run(
        _ script: String, bytes: Int = 0, files: Int = 0, sandbox: String = "basic"
    ) async throws -> LaunchedProcess.Outcome {
        try await TemporaryFolder.with { folder in
            let state = folder.file("state")
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            // Each script ends when it is ended, or else by itself.
            let process = try LaunchedProcess(
                [
                    "--sandbox", sandbox, "--directory", folder.path, "--state-directory", state, "--state", "\(bytes)",
                    "--state-files", "\(files)",
                ], ["/usr/bin/python3", "-c", "import os\nos.chdir(os.environ['HOME'])\n\(script)"],
                environment: ["HOME": state])
            return process.outcome()
        }
    }

    private static let waiting = "\nimport signal\nsignal.pause()"

    @Test(arguments: ["basic", "strict"]) func moreBytesThanAllowedEndIt(sandbox: String) async throws {
        let script = "for i in range(8): open(f'f{i}', 'wb').write(os.urandom(1 << 18))" + Self.waiting
        let outcome = try await Self.run(script, bytes: 1 << 20, sandbox: sandbox)
        let report = outcome.reports.first { $0.hasPrefix("full it holds ") }
        #expect(report?.hasSuffix(" of 1048576 bytes") == true, "\(outcome)")
        #expect(outcome.reports.contains("signal 9"))
    }

    @Test func moreFilesThanAllowedEndIt() async throws {
        let script = "for i in range(40): os.mkdir(f'd{i}')" + Self.waiting
        let outcome = try await Self.run(script, files: 30)
        #expect(outcome.reports.contains("full it holds 31 of 30 files and folders"), "\(outcome)")
    }

    /// A kernel's limit, which holds at once.
    @Test func oneFileIsNoLargerThanAll() async throws {
        let script = """
            try:
                open('f', 'wb').write(bytes(2 << 20))
            except OSError as error:
                print(error.errno, os.path.getsize('f'))
            """
        let outcome = try await Self.run(script, bytes: 1 << 20)
        #expect(outcome.output == "\(EFBIG) 1048576\n", "\(outcome)")
    }

    /// What cannot be measured counts as too much.
    @Test func noFolderHidesInFolders() async throws {
        let script = "for i in range(40):\n    os.mkdir('d')\n    os.chdir('d')" + Self.waiting
        let outcome = try await Self.run(script, files: 1000)
        #expect(outcome.reports.contains("full its folders are nested more than 32 deep"), "\(outcome)")
    }

    @Test func whatFitsStays() async throws {
        let outcome = try await Self.run("open('f', 'w').write('x')\nprint('kept')", bytes: 1 << 20, files: 10)
        #expect(outcome.output == "kept\n")
        #expect(outcome.reports.contains("exited 0"))
    }

    @Test func theGatewayStopsItAndSaysWhy() async throws {
        try await PluginBench.run { instance in
            let state = instance.folder + "/../state/plugins/actor"
            try? FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            try? Data((0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0) }).write(to: URL(filePath: state + "/large"))
            instance.settings.resources.state = 1 << 20
        } body: { bench in
            let change = await bench.change { if case .stopped = $0 { true } else { false } }
            guard case .stopped(let reason) = change else { return }
            #expect(reason.hasPrefix("its state folder is too full: it holds "), "\(reason)")
            #expect(reason.contains("resources.state"))
            let status = await bench.service.status()
            #expect(status.state == .stopped)
            #expect(status.restartCount == 0)
        }
    }
}
