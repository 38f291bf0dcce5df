import CastClient
import CastWire
import CastwayTestSupport
import Foundation
import GatewayFixtures
import Glibc
import Testing

/// The program when its log cannot be written.
@Suite(.timeLimit(.minutes(3))) struct LogOutputTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
        try self.folder.writeConfiguration()
    }

    private func port(_ process: CastwayProcess) async throws -> Int {
        let summary = await process.wait(for: "castway-root.pem\n")
        let port = try #require(summary.firstMatch(of: #/castway cast 127\.0\.0\.1:(\d+) status/#)?.1)
        return try #require(Int(port))
    }

    /// A full disk, a pipe whose reader is gone, a descriptor that was closed.
    @Test(arguments: ["2>/dev/full", "2> >(exec true)", "2>&-", ">&- 2>&- <&-"])
    func aLogThatCannotBeWrittenIsNoTrouble(redirection: String) async throws {
        let socket = try NotifySocket(self.folder.file("notify"))
        try self.folder.writeConfiguration(port: try FreePort.next())
        let process = try CastwayProcess(
            ["run"], environment: ["CASTWAY_LOG_LEVEL": "trace", "NOTIFY_SOCKET": socket.name],
            folder: self.folder.path, through: ["/bin/bash", "-c", "exec \"$0\" \"$@\" \(redirection)"])
        _ = try #require(await socket.next("READY"))
        let file = try self.folder.read("gateway.yaml")
        let port = try #require(file.firstMatch(of: #/listen: "127\.0\.0\.1:([1-9]\d*)"/#)?.1)
        for _ in 0..<3 {
            let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: try #require(Int(port)))
            try await sender.status()
            await sender.close()
        }
        process.terminate()
        #expect(await process.result().status == 0)
    }

    /// A log whose reader hangs costs lines, not service; when it reads again, it learns how many.
    @Test func aReaderThatHangsCostsLinesOnly() async throws {
        let fifo = self.folder.file("log")
        #expect(mkfifo(fifo, 0o600) == 0)
        let reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let process = try CastwayProcess(
            ["run"], environment: ["CASTWAY_LOG_LEVEL": "trace"], folder: self.folder.path,
            through: ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>'\(fifo)'"])
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: try await self.port(process))
        // Some hundred bytes a line, some lines a request: more than the pipe and the queue hold.
        for _ in 0..<4000 { try await sender.status() }
        #expect(fcntl(reader, F_SETFL, 0) == 0)
        let lost = AsyncStream<String> { input in
            Thread.detachNewThread {
                var rest = ""
                var piece = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = read(reader, &piece, piece.count)
                    guard count > 0 else { break }
                    rest += String(decoding: piece.prefix(count), as: UTF8.self)
                    let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
                    for line in lines.dropLast() where line.contains("Lines of the log were lost") {
                        input.yield(String(line))
                    }
                    rest = String(lines.last ?? "")
                }
                close(reader)
                input.finish()
            }
        }
        let notice = try #require(await lost.first { _ in true })
        let json = try #require(try JSONReader.read(notice).objectValue)
        #expect(json.string("level") == "warning")
        #expect((json.int("lines") ?? 0) > 100)
        try await sender.status()
        await sender.close()
        process.terminate()
        #expect(await process.result().status == 0)
    }

    /// The end does not wait for the reader either.
    @Test func aReaderThatHangsDoesNotKeepTheProgramFromEnding() async throws {
        let fifo = self.folder.file("log")
        #expect(mkfifo(fifo, 0o600) == 0)
        let reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let process = try CastwayProcess(
            ["run"], environment: ["CASTWAY_LOG_LEVEL": "trace"], folder: self.folder.path,
            through: ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>'\(fifo)'"])
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: try await self.port(process))
        for _ in 0..<300 { try await sender.status() }
        await sender.close()
        process.terminate()
        #expect(await process.result().status == 0)
        close(reader)
    }
}
