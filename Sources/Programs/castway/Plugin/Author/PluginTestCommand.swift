import ArgumentParser
import CastWire
import Glibc
import PluginHosting
import PluginTesting

struct PluginTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "test", "Plays a plugin's transcripts: what is said to it, and what it has to say.",
        """
        Transcripts are the files tests/*.jsonl of the plugin's folder; Docs/plugin-transcripts.md has their format. \
        Each one gets a process of its own, whose time only the transcript moves.
        """,
        examples: [
            "castway plugin test Plugins/hello", "castway plugin test Plugins/hello --only greeting.jsonl",
            "castway plugin test Plugins/hello --update     takes what the plugin says now for right",
        ])

    @Argument(help: "The plugin's folder.", completion: .directory) var folder = "."

    @Option(
        help: .init("Only this transcript; may be repeated.", valueName: "file"),
        completion: .file(extensions: ["jsonl"]))
    var only: [String] = []

    @Flag(help: "Writes what the plugin says into the transcripts.") var update = false
    @OptionGroup var sandbox: SandboxOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let plugin = try PluginUnderTest(self.folder, sandbox: self.sandbox.sandbox)
        let program = try plugin.program(sandbox: self.sandbox.sandbox)
        let chosen = try plugin.transcripts().filter { item in
            self.only.isEmpty || self.only.contains { item.path.hasSuffix("/\($0)") || item.path == $0 }
        }
        guard !chosen.isEmpty else {
            throw CommandFailure(.configurationInvalid, "there is no transcript in \(plugin.folder.path)/tests")
        }
        var failures = 0
        for (path, text, transcript) in chosen {
            let shown = "tests/\(FolderPath.name(path))"
            let report: TranscriptReport
            do {
                report = try TranscriptPlayer(transcript, program, schema: plugin.folder.schema).play()
            } catch {
                throw CommandFailure(.refused, error.description)
            }
            if report.findings.isEmpty {
                self.show("kept", shown, lines: ["  ok      \(shown)"])
            } else if self.update, report.updated != text {
                try Self.replace(path, with: report.updated)
                self.show("written", shown, lines: ["  written \(shown)"])
            } else {
                failures += 1
                self.show(
                    "failed", shown, lines: ["  FAILED  \(shown)"] + Self.lines(of: report),
                    findings: report.findings.map(\.description))
            }
        }
        if !self.output.isJSON {
            StandardOutput.write("\(chosen.count - failures) of \(chosen.count) transcripts are kept\n")
        }
        if failures > 0 { throw CommandFailure(.configurationInvalid) }
    }

    /// Prints what came of a transcript: lines for people, an object a line for programs.
    private func show(_ outcome: String, _ transcript: String, lines: [String], findings: [String] = []) {
        self.output.write(
            [
                "transcript": .string(transcript), "outcome": .string(outcome),
                "findings": .array(findings.map(JSONValue.string)),
            ], else: lines)
    }

    private static func lines(of report: TranscriptReport) -> [String] {
        let findings = report.findings.flatMap { $0.description.split(separator: "\n").map { "          \($0)" } }
        let logs = report.asides.filter { $0.hasPrefix("log ") }.suffix(8).map { "            \($0)" }
        let errors = report.errors.map { "            \($0)" }
        let said = (logs + errors).isEmpty ? [] : ["          it logged:"] + logs + errors
        return (findings + said).map(\.printable)
    }

    private static func replace(_ path: String, with text: String) throws {
        let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, FileDescriptor.write(text, to: file) else {
            throw CommandFailure(.outputUnusable, "\(path): \(SystemError.text(errno))")
        }
    }
}
