import CastWire
import Foundation
import Testing

/// The documents of the catalogue and what is made from them, against standards, testers of interfaces, and the built program.
@Suite(.timeLimit(.minutes(10))) struct InterfaceTests {
    /// The document, the client's generated part, and the client's own tests.
    @Test func documentsKeepTheirStandards() async throws {
        _ = try await PythonProgram("documents.py").run()
    }

    @Test func thePythonClientUsesARealGateway() async throws {
        _ = try await PythonProgram("python_client.py").run()
    }

    /// `schemathesis_run.py` says what is tried.
    @Test func schemathesisFindsNothing() async throws {
        let output = try await PythonProgram("schemathesis_run.py", ["--examples", "3"]).run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        let operations = try #require(summary.int("operations"))
        #expect(operations >= 20)
        #expect(try #require(summary.int("cases")) >= 10 * operations)
    }
}
