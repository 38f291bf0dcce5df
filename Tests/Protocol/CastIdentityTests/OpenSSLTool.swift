import Foundation

/// The `openssl` command, an independent judge of certificates and signatures.
enum OpenSSLTool {
    static let path = "/usr/bin/openssl"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    /// Runs the command and returns its exit code and what it printed.
    static func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
