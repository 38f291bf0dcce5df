import CastWire
import Foundation
import GatewayConfig
import NIOPosix
import PluginHosting
import PluginTesting
import Testing

/// The plugins that ship are what they tell others to be.
@Suite(.timeLimit(.minutes(5))) struct ShippedPluginTests {
    /// The folders in `Plugins` with a manifest that names a program.
    static let plugins: [PluginFolder] = {
        let directory = BuiltFiles.package + "/Plugins"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().compactMap { PluginFolder.load(path: "\(directory)/\($0)", id: $0).folder }
            .filter { $0.manifest.command != nil }
    }()

    private static func program(_ folder: PluginFolder, sandbox: PluginSandbox) -> SubjectProgram {
        var settings = PluginSettings()
        settings.sandbox = sandbox
        return SubjectProgram(
            PluginInstance(name: "shipped", plugin: folder.manifest.id, folder: folder.path, manifest: folder.manifest)
            { $0.settings = settings })
    }

    private static func transcripts(_ folder: PluginFolder) throws -> [(name: String, transcript: Transcript)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/tests").filter { $0.hasSuffix(".jsonl") }
            .sorted()
            .map { ($0, try Transcript(try String(contentsOfFile: "\(folder.path)/tests/\($0)", encoding: .utf8))) }
    }

    @Test func allAreThere() {
        let ids = Set(Self.plugins.map(\.manifest.id))
        #expect(ids.isSuperset(of: ["echo", "playtime-limits", "transcript"]))
    }

    /// No links lead out of it: a strict sandbox shows a plugin its own folder and the kit.
    @Test func eachIsCompleteInItsFolder() {
        for folder in Self.plugins {
            var problems = ConfigProblems()
            PluginFolderLinks.check(
                folder.path, readable: [], at: folder.section.location("id"), problems: &problems)
            #expect(problems.all.isEmpty)
        }
    }

    @Test(arguments: Self.plugins.map(\.manifest.id)) func eachKeepsWhatTheProtocolDemands(_ id: String) async throws {
        let folder = try #require(Self.plugins.first { $0.manifest.id == id })
        let config = try Self.transcripts(folder).first?.transcript.config ?? [:]
        let completion = PluginConfigCompletion(config, schema: folder.schema)
        #expect(completion.problems.isEmpty)
        let suite = ConformanceSuite(Self.program(folder, sandbox: .basic), config: completion.config)
        let results = try await NIOThreadPool.singleton.runIfActive { try suite.run() }
        for result in results where result.isBroken {
            Issue.record("\(result.name): \(result.outcome) \(result.errors)")
        }
        #expect(results.count { $0.outcome == .kept } >= 20)
    }

    @Test(arguments: Self.plugins.map(\.manifest.id)) func eachDoesWhatItsTranscriptsSay(_ id: String) async throws {
        let folder = try #require(Self.plugins.first { $0.manifest.id == id })
        let transcripts = try Self.transcripts(folder)
        #expect(!transcripts.isEmpty)
        for (name, transcript) in transcripts {
            // What is built here from Swift loads its runtime from the toolchain, which a strict sandbox does not show it.
            let program = Self.program(folder, sandbox: folder.manifest.module == nil ? .strict : .basic)
            let report = try await NIOThreadPool.singleton.runIfActive {
                try TranscriptPlayer(transcript, program, schema: folder.schema).play()
            }
            #expect(report.findings.isEmpty, "\(name): \(report.findings) \(report.errors)")
        }
    }

    /// The tests that are written in Python: the kit's own, and those of the plugins.
    @Test(arguments: ["python", "playtime-limits", "transcript"]) func testsInPythonPass(_ folder: String) async throws
    {
        let result = try await NIOThreadPool.singleton.runIfActive {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["python3", "-B", "-W", "error", "-m", "unittest", "discover", "-s", "tests"]
            process.currentDirectoryURL = URL(filePath: BuiltFiles.package + "/Plugins/\(folder)")
            process.environment = ProcessInfo.processInfo.environment.merging(
                [PythonKit.variable: PythonKit.folder ?? ""]) { _, kit in kit }
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (status: process.terminationStatus, text: text)
        }
        #expect(result.status == 0, "\(result.text)")
        #expect(result.text.contains("\nOK\n"))
    }
}
