import NIOCore

/// Counts what became of each message, for metrics.
extension PluginWire {
    /// Counts a message, with how long the plugin took if it was asked and has answered.
    func count(_ item: PluginWorkItem, _ result: PluginCallCounts.Result) {
        let time = item.askedAt.map { (self.eventLoop.now - $0).nanoseconds }
        self.counts.calls.count(item.phase, result, after: result == .ok || result == .invalid ? time : nil)
    }

    /// Counts a message whose verdict is not awaited any more: its deadline has passed, or its sender is gone.
    func countUnawaited(_ item: PluginWorkItem) {
        self.count(item, self.eventLoop.now >= item.deadline ? .timeout : .abandoned)
    }
}
