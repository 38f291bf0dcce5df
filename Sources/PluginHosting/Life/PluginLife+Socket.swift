extension PluginLife {
    /// Waits for a process that others start.
    func liveAtSocket() async -> PluginEnd {
        .failed("not there yet")
    }
}
