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
    /// The last answer: messages come in runs of one namespace, and comparing costs less than hashing.
    private var recent: (key: Key, chain: HandlerTable.Chain)?

    /// The chain of a namespace; `tableChanged` is called when the table is another than last time.
    mutating func chain(
        for namespace: Namespace, direction: MessageDirection, in table: HandlerTable, tableChanged: () -> Void
    ) -> HandlerTable.Chain {
        if self.table !== table {
            self.table = table
            self.chains.removeAll(keepingCapacity: true)
            self.recent = nil
            tableChanged()
        }
        let key = Key(namespace: namespace, direction: direction)
        if let recent, recent.key == key { return recent.chain }
        if let chain = self.chains[key] {
            self.recent = (key, chain)
            return chain
        }
        let chain = table.chain(for: namespace, direction: direction)
        guard namespace.rawValue.utf8.count <= Self.maximumNameLength else { return chain }
        if self.chains.count >= Self.limit { self.chains.removeAll(keepingCapacity: true) }
        self.chains[key] = chain
        return chain
    }
}
