import Foundation

/// The built `castway`, run as people run it.
struct CastwayProcess: Sendable {
    /// What came of it.
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// The lines on standard error.
        var errorLines: [Substring] { self.errors.split(separator: "\n") }
    }

    private let process: Process
    private let ended: AsyncStream<Int32>
    /// Standard output in pieces, as it comes.
    let output: AsyncStream<String>
    private let errors: AsyncStream<String>

    /// Starts it. The environment holds nothing but what is given.
    init(_ arguments: [String], environment: [String: String] = [:], folder: String? = nil) throws {
        let process = Process()
        self.process = process
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = environment
        if let folder { process.currentDirectoryURL = URL(filePath: folder, directoryHint: .isDirectory) }
        process.standardInput = FileHandle.nullDevice
        self.output = Self.stream { process.standardOutput = $0 }
        self.errors = Self.stream { process.standardError = $0 }
        let (ended, input) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = { process in
            // 128 + n is how shells show a signal.
            input.yield(process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0))
            input.finish()
        }
        try process.run()
    }

    /// Runs it to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], folder: String? = nil
    ) async throws -> Result {
        try await CastwayProcess(arguments, environment: environment, folder: folder).result()
    }

    /// Waits for the end. What was taken from ``output`` before is not in the result.
    func result() async -> Result {
        async let output = self.output.reduce("", +)
        async let errors = self.errors.reduce("", +)
        let status = await self.ended.first { _ in true }
        return await Result(status: status ?? -1, output: output, errors: errors)
    }

    /// Sends SIGTERM.
    func terminate() { self.process.terminate() }

    /// Sends SIGINT.
    func interrupt() { self.process.interrupt() }

    /// Reads standard output until it holds a text.
    func wait(for text: String) async -> String {
        var seen = ""
        for await piece in self.output {
            seen += piece
            if seen.contains(text) { break }
        }
        return seen
    }

    /// Beside the test bundle, where the build puts it.
    private static var executable: URL {
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appending(path: "castway")
    }

    private static func stream(_ attach: (Pipe) -> Void) -> AsyncStream<String> {
        let pipe = Pipe()
        attach(pipe)
        let (stream, input) = AsyncStream.makeStream(of: String.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                input.finish()
            } else {
                input.yield(String(decoding: data, as: UTF8.self))
            }
        }
        return stream
    }
}
