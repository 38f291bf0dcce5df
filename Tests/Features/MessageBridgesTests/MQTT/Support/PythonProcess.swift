import CastWire
import CastwayTestSupport
import Foundation
import NIOCore
import Synchronization

/// A program in Python that takes a JSON object a line and gives one a line.
final class PythonProcess: Sendable {
    struct Missing: Error {}

    private let process: Mutex<Process>
    private let input: Mutex<FileHandle>
    private let output: LineReader

    init(_ script: String, _ arguments: [String]) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let python =
            ProcessInfo.processInfo.environment["CASTWAY_PYTHON"] ?? root.appending(path: ".venv/bin/python3").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw Missing() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", script] + arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        self.output = LineReader(output.fileHandleForReading)
        self.input = Mutex(input.fileHandleForWriting)
        try process.run()
        self.process = Mutex(process)
    }

    deinit {
        Foundation.kill(self.process.withLock { $0 }.processIdentifier, SIGKILL)
    }

    /// Sends a line.
    func send(_ object: JSONObject) {
        let line = Data((JSONValue.object(object).text + "\n").utf8)
        self.input.withLock { try? $0.write(contentsOf: line) }
    }

    /// The next line; nil when the program has ended.
    func next() async -> JSONObject? {
        guard let line = await self.output.next() else { return nil }
        return (try? JSONReader.read(line))?.objectValue
    }
}
