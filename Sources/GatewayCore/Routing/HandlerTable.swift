public import CastWire

/// Which handlers are asked about which namespace: one immutable snapshot, swapped whole.
public final class HandlerTable: Sendable {
    /// One claim of one handler.
    public final class Entry: Sendable {
        /// The handler that claims.
        public let handler: any MessageHandler
        /// What is claimed.
        public let claim: Claim
        /// Unique in the gateway's life, so a later handler of the same name does not inherit a circuit breaker.
        let id: UInt64

        init(handler: any MessageHandler, claim: Claim, id: UInt64) {
            self.handler = handler
            self.claim = claim
            self.id = id
        }
    }

    /// The handlers for messages of one namespace in one direction, in order.
    public final class Chain: Sendable {
        /// All are asked, in order of registration.
        public let filters: [Entry]
        /// The first is asked; the next only if it passes.
        public let candidates: [Entry]
        /// All receive copies.
        public let observers: [Entry]

        init(filters: [Entry], candidates: [Entry], observers: [Entry]) {
            self.filters = filters
            self.candidates = candidates
            self.observers = observers
        }

        /// True when no handler is asked, so that the default decides at once.
        var isEmpty: Bool { self.filters.isEmpty && self.candidates.isEmpty && self.observers.isEmpty }
    }

    /// An empty table.
    static let empty = HandlerTable(entries: [])

    /// Every claim in order of registration.
    public let entries: [Entry]

    init(entries: [Entry]) {
        self.entries = entries
    }

    /// The chain of a namespace. Types and devices are judged message by message.
    public func chain(for namespace: Namespace, direction: MessageDirection) -> Chain {
        var filters: [Entry] = []
        var candidates: [Entry] = []
        var observers: [Entry] = []
        for entry in self.entries
        where entry.claim.directions.contains(direction) && entry.claim.pattern.matches(namespace) {
            switch entry.claim.phase {
            case .filter: filters.append(entry)
            case .handle: candidates.append(entry)
            case .observe: observers.append(entry)
            }
        }
        candidates.sort { first, second in
            let (one, other) = (first.claim.pattern.specificity, second.claim.pattern.specificity)
            return one == other ? first.claim.apps != nil && second.claim.apps == nil : one > other
        }
        return Chain(filters: filters, candidates: candidates, observers: observers)
    }

    /// The entry that a new claim would share its rank with, so that neither would own the message.
    func conflict(with claim: Claim) -> Entry? {
        guard claim.phase == .handle else { return nil }
        return self.entries.first { entry in
            entry.claim.phase == .handle && entry.claim.pattern == claim.pattern
                && (entry.claim.apps == nil) == (claim.apps == nil)
                && Self.overlap(entry.claim.apps, claim.apps)
                && !entry.claim.directions.isDisjoint(with: claim.directions)
                && Self.overlap(entry.claim.types, claim.types) && Self.overlap(entry.claim.devices, claim.devices)
        }
    }

    /// Two restrictions overlap when one is absent or they share a member.
    private static func overlap<Name>(_ left: Set<Name>?, _ right: Set<Name>?) -> Bool {
        guard let left, let right else { return true }
        return !left.isDisjoint(with: right)
    }
}

extension HandlerTable.Entry {
    /// True when the claim wants a message of this type on this device.
    /// - Parameter session: the app that the message goes to or comes from; nil when none is known.
    public func wants(type: String?, device: String, session: SessionFacts?) -> Bool {
        if let devices = self.claim.devices, !devices.contains(device) { return false }
        if let apps = self.claim.apps, !(session?.isOne(of: apps) ?? false) { return false }
        guard let types = self.claim.types else { return true }
        guard let type else { return false }
        return types.contains(type)
    }
}
