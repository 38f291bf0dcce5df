import CastWire
import HandlerKit

/// Chains that were looked up before, for one table. Bounded, since peers may invent namespaces.
struct ChainCache {
    private struct Key: Hashable {
        let namespace: Namespace
        let direction: MessageDirection
    }

    /// The last answer of one direction: messages come in runs, and comparing costs less than hashing.
    private final class Recent {
        let names: MessageNames
        let chain: HandlerTable.Chain

        init(names: MessageNames, chain: HandlerTable.Chain) {
            self.names = names
            self.chain = chain
        }
    }

    private static let limit = 256
    /// Longer names are looked up each time, so that inventing them costs no memory.
    private static let maximumNameLength = 128

    private let leg: MessageLeg
    private var version: UInt64?
    private var table = HandlerTable.empty
    private var chains: [Key: HandlerTable.Chain] = [:]
    private var recentToReceiver: Recent?
    private var recentToSender: Recent?

    /// - Parameter leg: on which all messages are.
    init(leg: MessageLeg) {
        self.leg = leg
    }

    /// The chain of a message's namespace in the registry's table; `tableChanged` is called with it when it is another than last
    /// time.
    mutating func chain(
        for names: MessageNames, direction: MessageDirection, in registry: HandlerRegistry,
        tableChanged: (HandlerTable) -> Void
    ) -> HandlerTable.Chain {
        // Asked before the table, so a change in between is noticed at the next message.
        let version = registry.version
        if self.version != version {
            self.version = version
            self.table = registry.table
            self.chains.removeAll(keepingCapacity: true)
            self.recentToReceiver = nil
            self.recentToSender = nil
            tableChanged(self.table)
        }
        let recent = direction == .toReceiver ? self.recentToReceiver : self.recentToSender
        if let recent, recent.names === names || recent.names.namespace == names.namespace { return recent.chain }
        let namespace = names.namespace
        guard namespace.rawValue.utf8.count <= Self.maximumNameLength else {
            return self.table.chain(for: namespace, direction: direction, leg: self.leg)
        }
        let key = Key(namespace: namespace, direction: direction)
        let chain = self.chains[key] ?? self.add(key)
        switch direction {
        case .toReceiver: self.recentToReceiver = Recent(names: names, chain: chain)
        case .toSender: self.recentToSender = Recent(names: names, chain: chain)
        }
        return chain
    }

    private mutating func add(_ key: Key) -> HandlerTable.Chain {
        let chain = self.table.chain(for: key.namespace, direction: key.direction, leg: self.leg)
        if self.chains.count >= Self.limit { self.chains.removeAll(keepingCapacity: true) }
        self.chains[key] = chain
        return chain
    }
}
