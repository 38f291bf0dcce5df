import CastwayTestSupport
import Foundation
import GatewayFixtures
import Glibc
import Testing

/// That keys stay in the memory of the process.
@Suite(.timeLimit(.minutes(3))) struct MemorySecrecyTests {
    /// Runs what follows with no capabilities, as an ordinary user has none: with them root reads everything.
    private static let wrapper =
        geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"] : ["/usr/bin/env"]

    /// Whether another process of the same user can read a file.
    private static func read(_ path: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: Self.wrapper[0])
        process.arguments = Self.wrapper.dropFirst() + ["/usr/bin/head", "-c", "1", path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func noOtherProcessReadsItAndNoCoreFileIsWritten() async throws {
        let folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
        try folder.writeConfiguration()
        let other = Process()
        let output = Pipe()
        other.executableURL = URL(filePath: Self.wrapper[0])
        other.arguments = Self.wrapper.dropFirst() + ["/bin/sh", "-c", "echo up; exec sleep 1000"]
        other.standardOutput = output
        other.standardError = FileHandle.nullDevice
        try other.run()
        // It may have been born with SIGTERM blocked.
        defer { kill(other.processIdentifier, SIGKILL) }
        #expect(output.fileHandleForReading.availableData == Data("up\n".utf8))
        // An ordinary process can be read by others of its user, so the way of asking is right.
        #expect(try Self.read("/proc/\(other.processIdentifier)/environ"))
        let process = try CastwayProcess(
            ["run"], environment: ["SOME": "thing"], folder: folder.path, through: Self.wrapper)
        _ = await process.wait(for: "castway-root.pem\n")
        #expect(try !Self.read("/proc/\(process.id)/environ"))
        let limits = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
        process.terminate()
        #expect(await process.result().status == 0)
    }
}
