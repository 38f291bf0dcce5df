import Foundation
import NIOCore
import PluginKit
import Testing

/// A plugin's process on a pair of sockets, talked to with blocking calls.
final class SubjectProcess {
    let process = Process()
    private let errors = Pipe()
    private var wire: Int32 = -1
    private var incoming = LineSplitter()

    private static var program: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "plugin-subject")
    }

    /// - Parameter environment: all of it.
    init(_ environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        self.wire = ends[0]
        Self.limit(self.wire)
        let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        self.process.executableURL = Self.program
        self.process.environment = environment
        self.process.standardInput = theirs
        self.process.standardOutput = theirs
        self.process.standardError = self.errors
        try self.process.run()
        try theirs.close()
    }

    deinit {
        if self.process.isRunning { self.process.terminate() }
        close(self.wire)
    }

    /// Talks over another socket from now on.
    func take(_ descriptor: Int32) {
        close(self.wire)
        self.wire = descriptor
        Self.limit(descriptor)
    }

    /// No call on the socket takes longer than half a minute, so that a plugin that hangs fails the test.
    static func limit(_ descriptor: Int32) {
        var time = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Writes, blocking.
    func write(_ lines: GatewayLine...) throws {
        var buffer = ByteBuffer()
        for line in lines { line.write(to: &buffer) }
        try self.write(buffer)
    }

    func write(_ buffer: ByteBuffer) throws {
        var rest = buffer.readableBytesView[...]
        while !rest.isEmpty {
            let count = rest.withContiguousStorageIfAvailable {
                send(self.wire, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            rest = rest.dropFirst(try #require(count.flatMap { $0 > 0 ? $0 : nil }))
        }
    }

    /// The next line; nil at the end.
    func read() throws -> PluginLine? {
        while true {
            if case .line(let line)? = self.incoming.next() { return try PluginLine(reading: line) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(self.wire, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            self.incoming.append(ByteBuffer(bytes: bytes[..<count]))
        }
    }

    /// The verdict that comes next.
    func verdict() throws -> Verdict {
        guard case .response(let response)? = try self.read() else { throw Silence() }
        return try response.verdict()
    }

    struct Silence: Error {}

    /// Shakes hands and starts.
    func begin() throws {
        try self.write(SessionBench.initialize(["works": true], testTime: nil), .start(901, PluginSnapshot()))
        for _ in 0..<2 {
            guard case .response(let response)? = try self.read(), case .success = response.outcome else {
                throw Silence()
            }
        }
    }

    /// The plugin reads the end.
    func hangUp() {
        shutdown(self.wire, Int32(SHUT_WR))
    }

    /// How it ended, and what it wrote to standard error.
    func ending() throws -> (code: Int32, text: String) {
        let text = try self.errors.fileHandleForReading.readToEnd() ?? Data()
        self.process.waitUntilExit()
        return (self.process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
