import CastwayTestSupport
import Foundation
import Synchronization

/// A real Mosquitto on a free port of the loopback interface, with a folder of its own; it can be killed and started again.
final class Broker: Sendable {
    struct Failed: Error {
        let output: String
    }

    let port: Int
    private let folder: TemporaryFolder
    private let extra: String
    private let process: Mutex<Process>

    /// Starts one.
    /// - Parameter configuration: lines beside those of the listener; `FOLDER` stands for its folder.
    init(_ configuration: String = "allow_anonymous true", files: [String: String] = [:]) async throws {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        let extra = configuration.replacingOccurrences(of: "FOLDER", with: folder.path)
        var found: (port: Int, process: Process)?
        var last = Failed(output: "")
        for _ in 0..<5 where found == nil {
            let port = try FreePort.next()
            do { found = (port, try await Self.start(folder, port: port, extra)) } catch let error as Failed {
                last = error
            }
        }
        guard let found else { throw last }
        (self.folder, self.extra, self.port) = (folder, extra, found.port)
        self.process = Mutex(found.process)
    }

    deinit {
        // The broker inherits the signals that the tests' threads block, SIGTERM too.
        self.kill()
    }

    /// A file in its folder.
    func file(_ name: String) -> String { self.folder.file(name) }

    private static func start(_ folder: TemporaryFolder, port: Int, _ extra: String) async throws -> sending Process {
        let user = getuid() == 0 ? "user root\n" : ""
        let text =
            "\(user)listener \(port) 127.0.0.1\npersistence true\npersistence_location \(folder.path)/\n\(extra)\n"
        let file = try folder.write(text, to: "mosquitto.conf")
        let broker = Process()
        broker.executableURL = URL(filePath: "/usr/sbin/mosquitto")
        broker.arguments = ["-c", file]
        let output = Pipe()
        broker.standardError = output
        broker.standardOutput = output
        let lines = LineReader(output.fileHandleForReading)
        try broker.run()
        var seen = ""
        while let line = await lines.next() {
            seen += line + "\n"
            if line.hasSuffix(" running") { return broker }
        }
        throw Failed(output: seen)
    }

    /// Ends it as a crash does.
    func kill() {
        let process = self.process.withLock { $0 }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops it so that nothing is answered, with its connections open.
    func freeze() { self.signal(SIGSTOP) }

    /// Lets it go on.
    func thaw() { self.signal(SIGCONT) }

    private func signal(_ number: Int32) {
        let process = self.process.withLock { $0 }
        Foundation.kill(process.processIdentifier, number)
    }

    /// Starts it again on the same port.
    func restart() async throws {
        let process = try await Self.start(self.folder, port: self.port, self.extra)
        self.process.withLock { $0 = process }
    }
}

/// The lines that a process writes; nil when it has ended. A thread of its own reads them: a handler for readability may miss the end
/// of a pipe, and watches a descriptor that may be closed beneath it.
final class LineReader: Sendable {
    private let lines = Inbox<String?>()

    /// The next line; nil at the end.
    func next() async -> String? { await self.lines.next() ?? nil }

    /// - Parameter handle: stays open until the end of what is read.
    init(_ handle: FileHandle) {
        Thread.detachNewThread { [lines] in
            var rest = Data()
            while true {
                let data = handle.availableData
                if data.isEmpty { return lines.put(nil) }
                rest.append(data)
                while let end = rest.firstIndex(of: 10) {
                    lines.put(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }
    }
}
