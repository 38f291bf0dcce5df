import CastwayTestSupport
import Foundation

/// Does what a guide says, word by word, in a folder of its own. It blocks the thread that it runs on.
final class GuideReader {
    /// The guide and the world differ.
    struct Difference: Error, CustomStringConvertible {
        let command: String
        let expected: [String]
        let said: String

        var description: String {
            "$ \(self.command)\nshould print:\n\(self.expected.joined(separator: "\n"))\nbut prints:\n\(self.said)"
        }
    }

    /// Where the guide is followed: the same place each time, since what is built remembers its paths.
    private let folder: String
    private let port: Int
    private let programs: String
    /// The package of Castway. Swift packages of a guide are built into its `.build/tests`, where their dependencies are built already.
    private let package: String
    private var background: [(process: Process, output: FileHandle)] = []

    /// - Parameters:
    ///   - programs: the folder of the built `castway`.
    ///   - package: the package of Castway.
    init(programs: String, package: String) throws {
        self.package = package
        self.folder = package + "/.build/guide"
        try? FileManager.default.removeItem(atPath: self.folder)
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        // As many digits as the guide's, since tables are as wide as what is in them.
        self.port = try FreePort.next(in: 2000...9999)
        self.programs = programs
    }

    deinit {
        for (process, _) in self.background where process.isRunning { process.terminate() }
    }

    func follow(_ step: GuideStep) throws {
        switch step {
        case .file(let path, let text):
            try self.local(text).write(toFile: "\(self.folder)/\(path)", atomically: false, encoding: .utf8)
        case .command(let command, let output):
            if command == "kill %1" {
                try self.end(command)
            } else if command.hasSuffix(" &") {
                try self.start(String(command.dropLast(2)), output)
            } else {
                try self.run(command, output)
            }
        }
    }

    /// The guide's port may be in use here.
    private func local(_ text: String) -> String { text.replacing(":8009", with: ":\(self.port)") }

    private func process(_ command: String) -> (Process, FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", self.local(command)]
        process.currentDirectoryURL = URL(filePath: self.folder)
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(self.programs):\(environment["PATH"] ?? "/usr/bin:/bin")"
        environment = environment.filter { !$0.key.hasPrefix("CASTWAY") }
        if command.hasPrefix("swift build ") { environment["CASTWAY_TESTS"] = "1" }
        process.environment = environment
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        return (process, pipe.fileHandleForReading)
    }

    private func run(_ command: String, _ expected: [String]) throws {
        var command = command
        if let place = command.firstMatch(of: /^swift build .*--package-path (\S+)/) {
            let made = "\(self.folder)/\(place.1)"
            let built = self.package + "/.build/tests"
            try FileManager.default.createSymbolicLink(atPath: made + "/.build", withDestinationPath: built)
            // The flags with which Scripts/build.sh has built the dependencies.
            command += " --scratch-path \(built) --disable-index-store --explicit-target-dependency-import-check error"
        }
        let (process, output) = self.process(command)
        try process.run()
        let said = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let shown = self.asInTheGuide(said)
        guard GuideOutput(lines: expected).matches(shown) else {
            throw Difference(command: command, expected: expected, said: shown)
        }
    }

    private func start(_ command: String, _ expected: [String]) throws {
        let (process, output) = self.process("exec \(command)")
        try process.run()
        self.background.append((process, output))
        var said = ""
        while !GuideOutput(lines: expected).matches(self.asInTheGuide(said)) {
            let data = output.availableData
            guard !data.isEmpty else { throw Difference(command: command, expected: expected, said: said) }
            said += String(decoding: data, as: UTF8.self)
        }
    }

    /// What a command printed, with the guide's port, and without the lines about what this machine cannot enforce: where no
    /// cgroups can be made, `castway plugin list` has one for each limit that falls short.
    private func asInTheGuide(_ said: String) -> String {
        said.replacing(":\(self.port)", with: ":8009")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains(": not enforced on this machine: ") }
            .joined(separator: "\n")
    }

    private func end(_ command: String) throws {
        let (process, _) = self.background.removeFirst()
        process.terminate()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Difference(command: command, expected: [], said: "status \(process.terminationStatus)")
        }
    }
}
