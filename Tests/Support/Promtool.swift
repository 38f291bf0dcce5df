import Foundation

/// Prometheus' own judge of scrapes and rules, of the Debian package `prometheus`.
package struct Promtool: Sendable {
    /// What it said, and whether that was that all is well.
    package struct Verdict: Sendable {
        /// Whether it has found nothing.
        package let isContent: Bool
        /// What it wrote.
        package let text: String
    }

    /// Judges a scrape in the text format: form, names, types, doubled series.
    package static func check(metrics text: String) throws -> Verdict {
        try Self.run(["check", "metrics"], input: text)
    }

    /// Runs `promtool` with these arguments.
    package static func run(_ arguments: [String], input: String = "") throws -> Verdict {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/promtool")
        process.arguments = arguments
        // A file for what goes in: with two pipes, one may fill up while the other is read.
        let file = FileManager.default.temporaryDirectory.appending(path: "castway-\(UUID().uuidString).prom")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Verdict(isContent: process.terminationStatus == 0, text: String(decoding: said, as: UTF8.self))
    }
}
