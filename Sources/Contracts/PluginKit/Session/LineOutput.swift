import Glibc
import NIOCore
import Synchronization

/// Collects lines from any thread and passes them on, in order, with one write for all that came together.
///
/// While the thread that reads works through what it read, its lines wait for the end of that, or until they are many:
/// one write answers a batch.
final class LineOutput: Sendable {
    private struct State {
        var pending = ByteBuffer()
        var spare = ByteBuffer()
        /// The thread that passes lines on; nil when none does.
        var writer: pthread_t?
        var isClosed = false
        /// The thread whose lines wait; nil when no thread holds its lines.
        var holder: pthread_t?
    }

    /// Above so many bytes that the gateway has not read, lines that may be left out are.
    private static let congestion = 4 << 20

    private let state = Mutex(State())
    private let sink: any LineSink

    init(_ sink: any LineSink) {
        self.sink = sink
    }

    /// True when more waits than should.
    var isCongested: Bool { self.state.withLock { $0.pending.readableBytes > Self.congestion } }

    /// Lets the lines of this thread wait until ``release()``.
    func hold() {
        self.state.withLock { $0.holder = pthread_self() }
    }

    /// Ends ``hold()``.
    func release() {
        self.state.withLock { $0.holder = nil }
        self.flush()
    }

    /// Adds lines.
    func append(_ write: (inout ByteBuffer) -> Void) {
        let isHeld = self.state.withLock { state in
            guard !state.isClosed else { return true }
            write(&state.pending)
            // The gateway begins with the first answers while the last are still written.
            guard state.pending.readableBytes < PluginProtocol.batchLength else { return false }
            return state.holder.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
        if !isHeld { self.flush() }
    }

    /// Passes on what waits. When another thread is at it, that one does.
    func flush() {
        while true {
            let lines: ByteBuffer? = self.state.withLock { state in
                guard state.writer == nil, !state.isClosed, state.pending.readableBytes > 0 else { return nil }
                state.writer = pthread_self()
                defer {
                    state.pending = state.spare
                    state.spare = ByteBuffer()
                }
                return state.pending
            }
            guard var lines else { return }
            self.sink.write(lines)
            lines.clear()
            self.state.withLock { state in
                state.writer = nil
                state.spare = lines
            }
        }
    }

    /// Passes on nothing more, and comes back when what is under way was passed on.
    func close() {
        while true {
            let isUnderWay = self.state.withLock { state in
                state.isClosed = true
                state.pending = ByteBuffer()
                // A sink that closes on its own lines does not wait for itself.
                return state.writer.map { pthread_equal($0, pthread_self()) == 0 } ?? false
            }
            guard isUnderWay else { return }
            sched_yield()
        }
    }
}

/// Where lines go.
protocol LineSink: Sendable {
    /// Takes whole lines. From one thread at a time.
    func write(_ lines: ByteBuffer)
}
