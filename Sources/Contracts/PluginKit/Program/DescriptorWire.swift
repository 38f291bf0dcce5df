@preconcurrency import Glibc
import NIOCore
import Synchronization

/// The wire as descriptors: standard input and output, or a socket. Reads on one thread; writes from any, one at a time.
///
/// While the thread that reads waits for room to write, it goes on reading, so that two ends which both have much to say
/// do not wait for each other for ever.
final class DescriptorWire: LineSink {
    /// So much is read while nothing can be written.
    private static let backlogLimit = 4 << 20
    private static let readLength = 65_536

    private struct State {
        var reader: pthread_t?
        /// What was read while there was no room to write.
        var backlog = ByteBuffer()
    }

    private let input: Int32
    private let output: Int32
    private let isSocket: Bool
    private let state = Mutex(State())

    init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        self.isSocket = getsockopt(output, SOL_SOCKET, SO_TYPE, &kind, &length) == 0
    }

    /// Reads what there is, and waits until there is something.
    /// - Returns: nil at the end.
    func read() -> ByteBuffer? {
        let backlog = self.state.withLock { state in
            state.reader = pthread_self()
            defer { state.backlog = ByteBuffer() }
            return state.backlog
        }
        return backlog.readableBytes > 0 ? backlog : self.readOnce()
    }

    private func readOnce() -> ByteBuffer? {
        var buffer = ByteBufferAllocator().buffer(capacity: Self.readLength)
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.readLength) { memory in
            while true {
                let count = Glibc.read(self.input, memory.baseAddress, memory.count)
                if count >= 0 || errno != EINTR { return max(0, count) }
            }
        }
        return count > 0 ? buffer : nil
    }

    func write(_ lines: ByteBuffer) {
        var rest = lines
        while rest.readableBytes > 0 {
            let count = rest.withUnsafeReadableBytes { self.writeOnce($0) }
            if count > 0 {
                rest.moveReaderIndex(forwardBy: count)
            } else if count < 0, errno == EAGAIN {
                self.waitForRoom()
            } else if count < 0, errno != EINTR {
                return  // The gateway has closed the wire; the next read tells.
            }
        }
    }

    private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
        if self.isSocket {
            return send(self.output, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        // A pipe that says it has room takes this much without waiting.
        var waiting = pollfd(fd: self.output, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 0) != 0 else {
            errno = EAGAIN
            return -1
        }
        return Glibc.write(self.output, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
    }

    /// Waits until something can be written, or (on the thread that reads) was read.
    private func waitForRoom() {
        let mayRead = self.state.withLock { state in
            guard let reader = state.reader, state.backlog.readableBytes < Self.backlogLimit else { return false }
            return pthread_equal(reader, pthread_self()) != 0
        }
        var waiting = [pollfd(fd: self.output, events: Int16(POLLOUT), revents: 0)]
        if mayRead { waiting.append(pollfd(fd: self.input, events: Int16(POLLIN), revents: 0)) }
        guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { return }
        guard mayRead, waiting[1].revents & Int16(POLLIN) != 0, waiting[0].revents == 0 else { return }
        guard var more = self.readOnce() else { return }
        self.state.withLock { _ = $0.backlog.writeBuffer(&more) }
    }
}
