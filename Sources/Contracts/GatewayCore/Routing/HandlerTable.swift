public import CastWire
public import HandlerKit

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
        /// The claim as it was registered, which a later table takes over with the entry when nothing of it changed.
        let origin: Origin

        /// A registered claim: which registration of a handler it belongs to, and its place among the handler's claims.
        struct Origin: Hashable {
            let registration: UInt64
            let index: Int
        }

        init(handler: any MessageHandler, claim: Claim, id: UInt64, origin: Origin) {
            self.handler = handler
            self.claim = claim
            self.id = id
            self.origin = origin
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
        /// The gateway's guard, for what handlers send in other namespaces, too.
        let guardian: (any MessageGuard)?
        /// Whether the guard judges the messages of this chain.
        let isGuarded: Bool
        /// True when no handler is asked and the guard has no say, so that the default decides at once.
        let isEmpty: Bool

        init(
            filters: [Entry], candidates: [Entry], observers: [Entry], guardian: (any MessageGuard)?, isGuarded: Bool
        ) {
            self.filters = filters
            self.candidates = candidates
            self.observers = observers
            self.guardian = guardian
            self.isGuarded = isGuarded
            self.isEmpty = filters.isEmpty && candidates.isEmpty && observers.isEmpty && !isGuarded
        }
    }

    /// An empty table.
    static let empty = HandlerTable(entries: [], guardian: nil)

    /// The claims that are in force, in the order of the plan.
    public let entries: [Entry]
    /// The gateway's own guard.
    let guardian: (any MessageGuard)?

    init(entries: [Entry], guardian: (any MessageGuard)?) {
        self.entries = entries
        self.guardian = guardian
    }

    /// The chain of a namespace. Types and devices are judged message by message.
    ///
    /// The guard judges what passes virtual devices: what the gateway says to apps by itself is no sender's word.
    public func chain(
        for namespace: Namespace, direction: MessageDirection, leg: MessageLeg = .sender
    ) -> Chain {
        var filters: [Entry] = []
        var candidates: [Entry] = []
        var observers: [Entry] = []
        for entry in self.entries
        where entry.claim.leg == leg && entry.claim.directions.contains(direction)
            && entry.claim.pattern.matches(namespace)
        {
            switch entry.claim.phase {
            case .filter: filters.append(entry)
            case .handle: candidates.append(entry)
            case .observe: observers.append(entry)
            }
        }
        let guardian = leg == .sender ? self.guardian : nil
        return Chain(
            filters: filters, candidates: Self.ranked(candidates), observers: observers, guardian: guardian,
            isGuarded: guardian?.concerns(namespace, direction) ?? false)
    }

    /// Owners in the order in which they are asked: the most specific claim first, one that replaces another's before that, then
    /// by their places in the plan.
    private static func ranked(_ candidates: [Entry]) -> [Entry] {
        candidates.enumerated().sorted { first, second in
            let (one, other) = (first.element.claim, second.element.claim)
            if one.pattern.specificity != other.pattern.specificity {
                return one.pattern.specificity > other.pattern.specificity
            }
            if (one.apps == nil) != (other.apps == nil) { return one.apps != nil }
            if (one.replaces == nil) != (other.replaces == nil) { return one.replaces != nil }
            return first.offset < second.offset
        }.map(\.element)
    }

    /// Whether two claims of different handlers share their rank, so that neither would own the message.
    static func areInConflict(_ one: Entry, _ other: Entry) -> Bool {
        let (claim, held) = (one.claim, other.claim)
        guard claim.phase == .handle, held.phase == .handle, claim.pattern == held.pattern, claim.leg == held.leg
        else { return false }
        guard claim.replaces != other.handler.name, held.replaces != one.handler.name else { return false }
        return (held.apps == nil) == (claim.apps == nil) && Self.overlap(held.apps, claim.apps)
            && !held.directions.isDisjoint(with: claim.directions)
            && Self.overlap(held.types, claim.types) && Self.overlap(held.devices, claim.devices)
    }

    /// Two restrictions overlap when one is absent or they share a member.
    private static func overlap<Name>(_ left: Set<Name>?, _ right: Set<Name>?) -> Bool {
        guard let left, let right else { return true }
        return !left.isDisjoint(with: right)
    }
}

extension HandlerTable.Entry {
    /// True when the claim wants a message of this type on this device of its leg.
    /// - Parameter session: the app that the message goes to or comes from; nil when none is known.
    public func wants(type: String?, device: String, session: SessionFacts?) -> Bool {
        if let devices = self.claim.devices, !devices.contains(device) { return false }
        if let apps = self.claim.apps, !(session?.isOne(of: apps) ?? false) { return false }
        guard let types = self.claim.types else { return true }
        guard let type else { return false }
        return types.contains(type)
    }
}
