import Foundation
import Glibc
import Synchronization

/// A child process whose output comes as lines.
///
/// The ends of the pipes close with the process, so a test that waits for lines is woken when it is killed.
final class DriverProcess: Sendable {
    private struct State {
        var partialLine = Data()
        var errors = Data()
    }

    /// The lines of its standard output, without their ends.
    let lines: AsyncStream<Data>

    private let process = Process()
    private let input = Pipe()
    private let state = Mutex(State())
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

        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            for line in self?.lines(in: data) ?? [] { lineContinuation.yield(line) }
            if data.isEmpty {
                handle.readabilityHandler = nil
                lineContinuation.finish()
            }
        }
        errors.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.state.withLock { $0.errors.append(data) }
        }
    }

    /// What it printed to its standard error.
    var errors: String { self.state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

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

    private func lines(in data: Data) -> [Data] {
        self.state.withLock { state in
            state.partialLine.append(data)
            var lines: [Data] = []
            while let end = state.partialLine.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(Data(state.partialLine[..<end]))
                state.partialLine = Data(state.partialLine[(end + 1)...])
            }
            return lines
        }
    }
}
