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

    /// Frames of the WebSocket and of the stream of server-sent events, each against the schema of its message.
    @Test func recordedFramesAreInTheAsyncAPIDocument() async throws {
        let output = try await PythonProgram("frames.py").run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        #expect(try #require(summary.int("frames")) >= 20)
        #expect(try #require(summary.int("streamed")) >= 10)
    }

    /// `schemathesis_run.py` says what is tried. What is made up is the same in every run; `make api-cases` goes on from
    /// there.
    @Test func schemathesisFindsNothing() async throws {
        let arguments = ["--examples", "3", "--phases", "examples,coverage,fuzzing"]
        let output = try await PythonProgram("schemathesis_run.py", arguments).run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        let operations = try #require(summary.int("operations"))
        #expect(operations >= 20)
        #expect(try #require(summary.int("cases")) >= 10 * operations)
    }
}
