import Foundation
import Glibc

/// A pipe that a child writes into. Make it and start the child under one lock, so that no other child inherits it.
struct OutputPipe {
    struct Unavailable: Error {}

    private let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Unavailable() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.readEnd = ends[0]
        self.writeEnd = ends[1]
    }

    /// Reads until the child is done, on a thread of its own. Gives lines with their ends, so that a test that waits for one
    /// takes nothing away that comes behind it.
    func lines() -> AsyncStream<String> {
        let (stream, input) = AsyncStream.makeStream(of: String.self)
        let readEnd = self.readEnd
        Thread.detachNewThread {
            var piece = [UInt8](repeating: 0, count: 65_536)
            var line: [UInt8] = []
            while true {
                let count = read(readEnd, &piece, piece.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                for byte in piece.prefix(count) {
                    line.append(byte)
                    guard byte == UInt8(ascii: "\n") else { continue }
                    input.yield(String(decoding: line, as: UTF8.self))
                    line = []
                }
            }
            if !line.isEmpty { input.yield(String(decoding: line, as: UTF8.self)) }
            close(readEnd)
            input.finish()
        }
        return stream
    }
}
