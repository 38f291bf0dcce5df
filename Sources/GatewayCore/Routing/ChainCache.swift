import CastWire

/// Chains that were looked up before, for one table. Bounded, since peers may invent namespaces.
struct ChainCache {
    private struct Key: Hashable {
        let namespace: Namespace
        let direction: MessageDirection
    }

    private static let limit = 256
    /// Longer names are looked up each time, so that inventing them costs no memory.
    private static let maximumNameLength = 128

    private var table = HandlerTable.empty
    private var chains: [Key: HandlerTable.Chain] = [:]

    /// The chain of a namespace; `tableChanged` is called when the table is another than last time.
    mutating func chain(
        for namespace: Namespace, direction: MessageDirection, in table: HandlerTable, tableChanged: () -> Void
    ) -> HandlerTable.Chain {
        if self.table !== table {
            self.table = table
            self.chains.removeAll(keepingCapacity: true)
            tableChanged()
        }
        let key = Key(namespace: namespace, direction: direction)
        if let chain = self.chains[key] { return chain }
        let chain = table.chain(for: namespace, direction: direction)
        guard namespace.rawValue.utf8.count <= Self.maximumNameLength else { return chain }
        if self.chains.count >= Self.limit { self.chains.removeAll(keepingCapacity: true) }
        self.chains[key] = chain
        return chain
    }
}
