extension MessageRouter {
    /// The handlers that failed too often and are not asked for a while.
    public var suspendedHandlers: [String] {
        let open = self.breakers.filter { $0.value.isOpen }
        return Set(self.registry.table.entries.filter { open[$0.id] != nil }.map(\.handler.name)).sorted()
    }
}
