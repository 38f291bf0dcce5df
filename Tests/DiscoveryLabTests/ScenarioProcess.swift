import Foundation
import Glibc

/// A program whose output is kept until its end, errors with the rest.
final class ScenarioProcess: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: String
    }

    private let process = Process()
    private let ended: AsyncStream<Result>

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = self.process
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        let (ended, input) = AsyncStream.makeStream(of: Result.self)
        self.ended = ended
        try process.run()
        Thread.detachNewThread {
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            input.yield(Result(status: process.terminationStatus, output: text))
            input.finish()
        }
    }

    /// Waits for the end; when the task is cancelled the program is told to end.
    func result() async -> Result {
        await withTaskCancellationHandler {
            for await result in self.ended { return result }
            return Result(status: -1, output: "cancelled")
        } onCancel: {
            _ = Glibc.kill(self.process.processIdentifier, SIGTERM)
        }
    }

    /// Runs a program that takes no time.
    static func run(_ program: String, _ arguments: [String]) -> Result {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        do { try process.run() } catch { return Result(status: -1, output: "\(error)") }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: text)
    }
}
