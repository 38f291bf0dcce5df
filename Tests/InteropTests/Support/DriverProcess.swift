import Foundation
import Glibc
import Synchronization

/// A child process whose output comes as lines.
///
/// The ends of the pipes close with the process, so a test that waits for lines is woken when it is killed.
final class DriverProcess: Sendable {
    /// What it has printed.
    private final class Output: Sendable {
        private let partialLine = Mutex(Data())
        private let errorBytes = Mutex(Data())

        /// The lines that end in a piece.
        func lines(in data: Data) -> [Data] {
            self.partialLine.withLock { rest in
                rest.append(data)
                var lines: [Data] = []
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(Data(rest[..<end]))
                    rest = Data(rest[(end + 1)...])
                }
                return lines
            }
        }

        func addErrors(_ data: Data) {
            self.errorBytes.withLock { $0.append(data) }
        }

        var errors: String { self.errorBytes.withLock { String(decoding: $0, as: UTF8.self) } }
    }

    /// The lines of its standard output, without their ends.
    let lines: AsyncStream<Data>

    private let process = Process()
    private let input = Pipe()
    private let output = Output()
    private let statuses: AsyncStream<Int32>

    init(python: PythonInterpreter, arguments: [String]) throws {
        let process = self.process
        process.executableURL = python.url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = self.input
        process.standardOutput = output
        process.standardError = errors

        let (lines, lineContinuation) = AsyncStream.makeStream(of: Data.self)
        let (statuses, statusContinuation) = AsyncStream.makeStream(of: Int32.self)
        self.lines = lines
        self.statuses = statuses
        process.terminationHandler = { ended in
            statusContinuation.yield(ended.terminationStatus)
            statusContinuation.finish()
        }
        try process.run()

        let collected = self.output
        Self.read(output.fileHandleForReading) { data in
            for line in collected.lines(in: data) { lineContinuation.yield(line) }
            if data.isEmpty { lineContinuation.finish() }
        }
        Self.read(errors.fileHandleForReading) { collected.addErrors($0) }
    }

    /// Gives what comes, and then an empty piece, on a thread of its own: Foundation's readability handlers miss the end of a
    /// pipe now and then.
    private static func read(_ handle: FileHandle, each: @escaping @Sendable (Data) -> Void) {
        Thread.detachNewThread {
            while true {
                let data = handle.availableData
                each(data)
                if data.isEmpty { return }
            }
        }
    }

    /// What it printed to its standard error.
    var errors: String { self.output.errors }

    /// Writes to its standard input.
    func write(_ text: String) throws {
        try self.input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Waits until it has ended.
    func status() async -> Int32 {
        for await status in self.statuses { return status }
        return -1
    }

    /// Ends it at once; does nothing when it has ended.
    func kill() {
        guard self.process.isRunning else { return }
        _ = Glibc.kill(self.process.processIdentifier, SIGKILL)
    }
}
