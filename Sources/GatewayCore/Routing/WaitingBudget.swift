/// How much waits behind deferred messages, over all flows of a connection.
///
/// A sender may open many flows, and each may be full; together they may hold four times what one may.
struct WaitingBudget {
    private struct Usage {
        var count = 0
        var bytes = 0
    }

    private static let flowsWorth = 4

    private var usages: [ConnectionID?: Usage] = [:]

    /// Counts a message in.
    /// - Returns: false when it is one too many; it is not counted then.
    mutating func add(_ bytes: Int, for connection: ConnectionID?, limits: RouterSettings) -> Bool {
        let usage = self.usages[connection] ?? Usage()
        guard usage.count < limits.flowLimit * Self.flowsWorth,
            usage.bytes + bytes <= limits.flowByteLimit * Self.flowsWorth
        else { return false }
        self.usages[connection] = Usage(count: usage.count + 1, bytes: usage.bytes + bytes)
        return true
    }

    /// Counts messages out that were counted in.
    mutating func remove(count: Int, bytes: Int, for connection: ConnectionID?) {
        guard var usage = self.usages[connection] else { return }
        usage.count -= count
        usage.bytes -= bytes
        self.usages[connection] = usage.count > 0 ? usage : nil
    }
}
