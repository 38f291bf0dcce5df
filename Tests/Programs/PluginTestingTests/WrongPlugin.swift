import NIOPosix
import PluginHosting
import PluginKit
import PluginTesting

/// The plugin of the fixtures that does one thing wrong.
enum WrongPlugin {
    static func program(_ fault: String, phase: RoutingPhase = .handle) -> SubjectProgram {
        let claim = PluginClaim(match: "urn:x-cast:com.example.wrong", phase: phase)
        let manifest = PluginManifest(id: "wrong", version: "1.0.0") {
            $0.command = ["wrong.py", fault]
            $0.claims = [claim]
        }
        return SubjectProgram(
            PluginInstance(
                name: "wrong", plugin: "wrong", folder: BuiltFiles.fixtures + "/wrong", manifest: manifest))
    }

    /// Runs the suite on it.
    static func results(
        _ fault: String, phase: RoutingPhase = .handle, only names: [String]? = nil, patience: Duration = .seconds(10)
    ) async throws -> [ConformanceResult] {
        let suite = ConformanceSuite(Self.program(fault, phase: phase), patience: patience)
        return try await Self.threads.runIfActive { try suite.run(only: names) }
    }

    /// Where suites block while their plugins answer; several faults are tried side by side.
    private static let threads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 8)
        pool.start()
        return pool
    }()
}
