import Dispatch
import Glibc
import Synchronization
import SystemPrimitives

/// Writes lines on a thread of their own, so that a caller that logs never waits for a reader.
///
/// A pipe whose reader hangs, a full disk and a closed terminal cost lines, not time: what does not fit is dropped and
/// counted, and the count is told when writing works again.
package final class LineQueue: Sendable {
    /// Written in the place of lines that were lost.
    package typealias LossNotice = @Sendable (_ lines: Int) -> String

    private struct State {
        var lines: [String] = []
        var bytes = 0
        var lost = 0
        /// How many were lost since the queue was made.
        var everLost = 0
        /// True from the first line until the thread finds nothing more.
        var isDraining = false
        var notice: LossNotice?
    }

    /// What waits is at most this many bytes, and one line.
    private static let limit = 1 << 20

    private let writeLine: @Sendable (String) -> Bool
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "castway.lines")

    /// Makes an empty queue.
    /// - Parameter descriptor: an open file, which stays the caller's.
    package convenience init(descriptor: Int32) {
        self.init { Self.write($0, to: descriptor) }
    }

    /// Makes an empty queue.
    /// - Parameter writeLine: writes a line, on the queue's thread, which it may keep waiting; false when it could not.
    package init(writeLine: @escaping @Sendable (String) -> Bool) {
        self.writeLine = writeLine
    }

    /// How many lines could not be written, or did not fit, since the queue was made.
    package var lostCount: Int { self.state.withLock { $0.everLost } }

    /// Does something on the queue's thread, after what was queued before.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        self.thread.async { work() }
    }

    /// Sets what is written in the place of lines that were lost; nothing is, by default.
    package func setLossNotice(_ notice: @escaping LossNotice) {
        self.state.withLock { $0.notice = notice }
    }

    /// Queues a line, with its line break.
    package func write(_ line: String) {
        let mustDrain = self.state.withLock { state in
            guard state.bytes < Self.limit else {
                state.lost += 1
                state.everLost += 1
                return false
            }
            state.lines.append(line)
            state.bytes += line.utf8.count
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustDrain { self.thread.async { self.drain() } }
    }

    /// Waits until everything is written that was queued before.
    /// - Returns: false when that takes longer than the time given.
    @discardableResult
    package func flush(within time: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        self.thread.async { done.signal() }
        return done.wait(timeout: .now() + .milliseconds(Int(time.wholeMilliseconds))) == .success
    }

    private func drain() {
        while let (lines, lost, notice) = self.takeAll() {
            var failures = 0
            for line in lines where !self.writeLine(line) { failures += 1 }
            if failures > 0 { self.state.withLock { $0.everLost += failures } }
            // Lines are lost behind those that fitted.
            if lost > 0, let notice, failures > 0 || !self.writeLine(notice(lost)) { failures += lost }
            if failures > 0 { self.state.withLock { $0.lost += failures } }
        }
    }

    private func takeAll() -> (lines: [String], lost: Int, notice: LossNotice?)? {
        self.state.withLock { state in
            guard !state.lines.isEmpty else {
                state.isDraining = false
                return nil
            }
            defer {
                state.lines = []
                state.bytes = 0
                state.lost = 0
            }
            return (state.lines, state.lost, state.notice)
        }
    }

    private static func write(_ line: String, to descriptor: Int32) -> Bool {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0 && errno == EAGAIN {
                // Another process that shares the terminal made it non-blocking.
                var file = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&file, 1, -1)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
