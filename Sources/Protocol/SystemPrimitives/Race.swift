/// Runs two pieces of work at the same time and takes the outcome of the one that ends first.
///
/// Each is a child task, so task-local values and the cancellation of the caller reach both. When the first has ended, the other is
/// cancelled, and the call returns once it has ended too: work that ignores cancellation holds up the caller. A limit of time is a
/// race against a sleep.
/// - Returns: the value of the first.
/// - Throws: the error of the first.
package func race<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value,
    against other: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withTaskGroup(of: Result<Value, Failure>.self) { group in
        group.addTask { await outcome(of: work) }
        group.addTask { await outcome(of: other) }
        defer { group.cancelAll() }
        for await first in group { return first }
        // Not reached, since there are two tasks.
        return await outcome(of: work)
    }.get()
}

private func outcome<Value, Failure: Error>(
    of work: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
    do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
}
