/// Something that is done later.
public struct PluginTimer: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// It is not done any more. What has begun learns it as a cancelled task does.
    public func cancel() {
        self.task.cancel()
    }
}
