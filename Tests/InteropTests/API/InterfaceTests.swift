import CastWire
import Foundation
import Testing

/// The documents of the catalogue and what is made from them, against standards, testers of interfaces, and the built program.
@Suite(.timeLimit(.minutes(20))) struct InterfaceTests {
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

    /// `kill -9` while readers follow: they learn of it, and of the new run, and have everything of that.
    @Test func readersOfAKilledGatewayBeginAnewAndAreToldSo() async throws {
        let output = try await PythonProgram("killed.py", ["12000"]).run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        let before = try #require(summary.object("before"))
        for reader in ["websocket", "stream"] { #expect(try #require(before.int(reader)) >= 12_000, "\(reader)") }
        let state = try #require(summary.int("state"))
        let snapshots = try #require(summary.array("snapshots")).compactMap(\.intValue)
        // A device may come online between a snapshot and the look at the whole.
        #expect(snapshots.count == 2 && snapshots.allSatisfy { $0 >= 2 && $0 <= state })
    }

    /// What schemathesis says that it has tried.
    private static func schemathesis(_ arguments: [String]) async throws -> (operations: Int, cases: Int) {
        // What is made up of large schemas takes its time where other tests run beside this.
        let output = try await PythonProgram("schemathesis_run.py", arguments, deadline: .seconds(1140)).run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        return (try #require(summary.int("operations")), try #require(summary.int("cases")))
    }

    /// `schemathesis_run.py` says what is tried. What is made up is the same in every run; `make api-cases` goes on from
    /// there.
    @Test func schemathesisFindsNothing() async throws {
        let tried = try await Self.schemathesis(["--examples", "3", "--phases", "examples,coverage,fuzzing"])
        #expect(tried.operations >= 20)
        #expect(tried.cases >= 10 * tried.operations)
    }

    /// One call after the other, along the links of the document: what an answer names goes into the next call. The seed is fixed; what
    /// the gateway numbers differs from run to run, and with it some of the calls: a sequence has one at least, most have two or more.
    @Test func schemathesisFindsNothingInSequences() async throws {
        let tried = try await Self.schemathesis(["--examples", "40", "--phases", "stateful", "--deterministic"])
        #expect(tried.operations >= 20)
        #expect(tried.cases > 40)
    }
}
