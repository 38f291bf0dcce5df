/// Waits until the task is cancelled.
package func untilCancelled() async {
    let (never, _) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
}
