import Synchronization

/// Collects results from several threads.
final class ResultList<Value: Sendable>: Sendable {
    private let results = Mutex<[Result<Value, any Error>]>([])

    func append(_ result: Result<Value, any Error>) {
        self.results.withLock { $0.append(result) }
    }

    /// All values, or the first error.
    func all() throws -> [Value] {
        try self.results.withLock { $0 }.map { try $0.get() }
    }
}
