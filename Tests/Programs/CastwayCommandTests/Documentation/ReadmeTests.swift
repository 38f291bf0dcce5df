import CastwayTestSupport
import Foundation
import Testing

/// The README prints what the commands print.
@Suite(.timeLimit(.minutes(5))) struct ReadmeTests {
    private static let python = ReadmeTour.root.appending(path: ".venv/bin/python3").path
    private static var hasPython: Bool { FileManager.default.isExecutableFile(atPath: Self.python) }

    let tour: ReadmeTour
    let folder: TemporaryFolder
    /// The ports that stand for those of the README, where other programs may listen.
    let ports: [(readme: String, own: String)]

    init() throws {
        self.tour = try ReadmeTour()
        self.folder = try TemporaryFolder()
        var own: Set<Int> = []
        // As wide as those that they stand for, so that tables keep their columns.
        while own.count < 4 { own.insert(try FreePort.next(in: 2000...9999)) }
        self.ports = zip(["8009", "8019", "8008", "8443"], own.map { "\($0)" }).map { ($0, $1) }
    }

    private func withOwnPorts(_ text: String) -> String {
        self.ports.reduce(text) { $0.replacing(":\($1.readme)", with: ":\($1.own)") }
    }

    private func withPortsOfReadme(_ text: String) -> String {
        self.ports.reduce(text) {
            $0.replacing(":\($1.own)", with: ":\($1.readme)").replacing(" \($1.own),", with: " \($1.readme),")
        }
    }

    /// Starts the gateway of `gateway.yaml`, as `make run` does.
    private func start() async throws -> (gateway: CastwayProcess, summary: String) {
        let file = try String(contentsOf: ReadmeTour.root.appending(path: "gateway.yaml"), encoding: .utf8)
        try self.folder.write(self.withOwnPorts(file), to: "gateway.yaml")
        for path in ["Scripts", "Docs/examples"] {
            try FileManager.default.createDirectory(
                atPath: self.folder.file(path), withIntermediateDirectories: true)
        }
        for path in ["Scripts/bootstrap.sh", "Docs/examples/broken.yaml"] {
            try FileManager.default.copyItem(
                atPath: ReadmeTour.root.appending(path: path).path, toPath: self.folder.file(path))
        }
        let gateway = try CastwayProcess(["run"], folder: self.folder.path)
        return (gateway, await gateway.wait(for: "castway-root.pem\n"))
    }

    @Test func theTourIsTrue() async throws {
        let (gateway, summary) = try await self.start()
        defer { gateway.terminate() }
        let shown = self.withPortsOfReadme(summary).replacing(CastwayProcess.executable, with: ".build/debug/castway")
        #expect(shown == self.tour.summary)
        #expect(self.tour.steps.count >= 8)
        for step in self.tour.steps {
            if step.command == ["reload"] {
                let file = try self.folder.read("gateway.yaml")
                try self.folder.write(file.replacing("Lobby screen", with: "Lobby"), to: "gateway.yaml")
            }
            let arguments = step.command.map { word in
                word == "127.0.0.1" ? self.withOwnPorts("127.0.0.1:8009") : self.withOwnPorts(word)
            }
            let result = try await CastwayProcess(arguments, folder: self.folder.path).result()
            let output = ReadmeTour.steady(self.withPortsOfReadme(result.output))
            #expect(
                output.trimmingCharacters(in: .newlines) + "\n" == ReadmeTour.steady(step.output),
                "castway \(step.command.joined(separator: " ")): \(result.errors)")
        }
    }

    @Test(.enabled(if: hasPython, "no Python with pychromecast: run make python"))
    func theHintForPythonWorks() async throws {
        let (gateway, summary) = try await self.start()
        defer { gateway.terminate() }
        let line = try #require(summary.split(separator: "\n").first { $0.contains("import pychromecast") })
        let hint = try #require(line.firstMatch(of: #/^  \.venv/bin/python3 -c '([^']+)'$/#))
        let process = Process()
        process.executableURL = URL(filePath: Self.python)
        process.arguments = ["-c", String(hint.output.1)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.hasPrefix("CastStatus("))
    }

    /// Elsewhere than in the sources there is no `make`.
    @Test func theHintForPythonElsewhere() async throws {
        try self.folder.writeConfiguration()
        let gateway = try CastwayProcess(["run"], folder: self.folder.path)
        let summary = await gateway.wait(for: "castway-root.pem\n")
        gateway.terminate()
        #expect(summary.contains("\n  python3 -c 'import pychromecast"))
        #expect(summary.contains("https://pypi.org/project/PyChromecast/"))
    }
}
