import Foundation

/// The network of namespaces in which scenarios play, and the programs that they need.
enum Lab {
    /// Why no scenario can play here; nil when they can.
    static let obstacle: String? = {
        let result = ScenarioProcess.run(Self.script, ["check"])
        guard result.status == 0 else { return result.output.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard FileManager.default.isExecutableFile(atPath: Self.python) else {
            return "no Python with pychromecast: run Scripts/bootstrap.sh --tests"
        }
        return nil
    }()

    /// Why rules that bring datagrams elsewhere cannot be tried here; nil when they can.
    static let ruleObstacle: String? = {
        let result = ScenarioProcess.run(
            "/usr/bin/env", ["python3", Self.folder.appending(path: "Drivers/deployments.py").path, "check"])
        return result.status == 0 ? nil : result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }()

    /// Runs a scenario to its end.
    static func play(_ scenario: String) async throws -> ScenarioProcess.Result {
        let driver = Self.folder.appending(path: "Drivers/\(scenario).py").path
        return try await ScenarioProcess(
            Self.python, [driver], environment: ["CASTWAY_BINARY": Self.executable]
        ).result()
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
    private static let script = Self.root.appending(path: "Scripts/lab/lab.sh").path

    private static var python: String {
        ProcessInfo.processInfo.environment["CASTWAY_PYTHON"] ?? Self.root.appending(path: ".venv/bin/python3").path
    }

    /// Beside the test bundle, where the build puts it.
    private static var executable: String {
        CommandLine.arguments.compactMap { argument in
            argument.range(of: "castwayPackageTests.xctest").map { String(argument[..<$0.lowerBound]) + "castway" }
        }.first ?? Self.root.appending(path: ".build/debug/castway").path
    }
}
