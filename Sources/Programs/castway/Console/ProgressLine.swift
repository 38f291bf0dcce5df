import Glibc
import Synchronization

/// A line on standard error that says what a command waits for. On a terminal only, and only when it lasts.
enum ProgressLine {
    /// How long nothing is said: what is done by then needs no words.
    private static let patience = Duration.milliseconds(400)
    private static let interval = Duration.milliseconds(125)
    private static let signs = ["|", "/", "-", "\\"]
    /// Whether the line is on the screen.
    private static let isShown = Mutex(false)

    /// Does something, and says so while it lasts.
    /// - Parameters:
    ///   - words: what is being done, printable and short; nil for nothing to say.
    ///   - work: what is done.
    static func showing<Value>(_ words: String?, while work: () async throws -> Value) async rethrows -> Value {
        guard let words, Terminal.showsProgress else { return try await work() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await Self.tell(words) }
            defer { group.cancelAll() }
            return try await work()
        }
    }

    /// Takes the line off the screen, so that something else can be written; it comes back by itself.
    static func clear() {
        Self.isShown.withLock { isShown in
            guard isShown else { return }
            isShown = false
            FileDescriptor.write("\r\u{1B}[K", to: STDERR_FILENO)
        }
    }

    private static func tell(_ words: String) async {
        let begin = ContinuousClock.now
        guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
        var step = 0
        while !Task.isCancelled {
            let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
            Self.draw("\(Self.signs[step % Self.signs.count]) \(words)\(seconds > 0 ? "  \(seconds)s" : "")")
            step += 1
            try? await Task.sleep(for: Self.interval)
        }
        Self.clear()
    }

    private static func draw(_ line: String) {
        Self.isShown.withLock { isShown in
            isShown = true
            FileDescriptor.write("\r\u{1B}[K\(line)", to: STDERR_FILENO)
        }
    }
}
