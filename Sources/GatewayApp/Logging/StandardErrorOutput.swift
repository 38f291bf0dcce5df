internal import Glibc
internal import Synchronization

/// Where log lines go.
enum StandardErrorOutput {
    /// Keeps lines of several threads apart, also those that are longer than a pipe takes at once.
    private static let turn = Mutex<Void>(())

    /// Writes a line. Nothing is done when it cannot be written: there is nobody left to tell.
    @Sendable static func write(_ line: String) {
        let bytes = Array(line.utf8)
        Self.turn.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
