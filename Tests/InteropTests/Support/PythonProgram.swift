import Foundation
import Testing

/// A Python program of the drivers that uses the built `castway`, whose path it is given, and says by its status what came of it.
struct PythonProgram {
    /// After this time it is killed, whatever it does: many times what it takes, since a machine may be busy.
    private let deadline: Duration
    private let script: String
    private let arguments: [String]

    init(_ script: String, _ arguments: [String] = [], deadline: Duration = .seconds(540)) {
        self.script = script
        self.arguments = arguments
        self.deadline = deadline
    }

    /// Runs it; it has to end with 0.
    /// - Returns: what it printed.
    func run() async throws -> String {
        let process = try DriverProcess(
            python: PythonInterpreter(),
            arguments: [PythonInterpreter.drivers.appending(path: self.script).path, Self.castway] + self.arguments)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [deadline = self.deadline] in
                defer { process.kill() }
                try await Task.sleep(for: deadline)  // lint:allow a driver that hangs is ended
            }
            defer {
                process.kill()
                group.cancelAll()
            }
            var output = ""
            for await line in process.lines { output += String(decoding: line, as: UTF8.self) + "\n" }
            let status = await process.status()
            try #require(status == 0, "\(self.script): \(output.suffix(8000)) \(process.errors.suffix(4000))")
            return output
        }
    }

    /// The built program, beside the tests.
    private static var castway: String {
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appending(path: "castway").path
    }
}
