import Foundation
import Testing

/// The WebSocket of the API, used by a library that Castway has no part in.
@Suite(.timeLimit(.minutes(2))) struct SocketInteropTests {
    @Test func websocketsFromPython() async throws {
        try await SocketBench.with(authority: FakeAuthority()) { bench in
            let process = try DriverProcess(
                python: PythonInterpreter(),
                arguments: [PythonInterpreter.drivers.appending(path: "sockets.py").path, String(bench.port)])
            defer { process.kill() }
            var steps: [String] = []
            for await line in process.lines {
                let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
                switch words.first {
                case "happen": for _ in 0..<(words.last.flatMap { Int($0) } ?? 0) { bench.journal.happen() }
                case "revoke": bench.authority.revoke()
                default: steps += words
                }
            }
            #expect(steps == ["handshakes", "calls", "events", "stops", "end"], "\(process.errors)")
            #expect(await process.status() == 0)
            #expect(bench.journal.feedCount == 0)
        }
    }
}
