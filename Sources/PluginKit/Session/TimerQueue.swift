/// Who waits for which moment, under a clock that a test moves.
struct TimerQueue {
    private struct Entry {
        let due: PluginInstant
        let serial: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private var entries: [Entry] = []

    mutating func add(_ serial: Int, due: PluginInstant, _ continuation: CheckedContinuation<Void, any Error>) {
        let index = self.entries.firstIndex { $0.due > due } ?? self.entries.endIndex
        self.entries.insert(Entry(due: due, serial: serial, continuation: continuation), at: index)
    }

    /// The next that is due by then.
    mutating func popFirst(
        until limit: PluginInstant
    ) -> (due: PluginInstant, continuation: CheckedContinuation<Void, any Error>)? {
        guard let first = self.entries.first, first.due <= limit else { return nil }
        self.entries.removeFirst()
        return (first.due, first.continuation)
    }

    mutating func remove(_ serial: Int) -> CheckedContinuation<Void, any Error>? {
        guard let index = self.entries.firstIndex(where: { $0.serial == serial }) else { return nil }
        return self.entries.remove(at: index).continuation
    }
}
