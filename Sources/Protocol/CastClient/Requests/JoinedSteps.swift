package import NIOCore

/// Quick changes of one thing, such as of a volume while a slider is dragged: while the answer to one is awaited, only the newest waits to be
/// sent.
///
/// Holds no timer: its owner asks for what is due when an answer came, and at ``nextDeadline``.
package struct JoinedSteps<Kind: Hashable & Sendable, Step: Sendable>: Sendable {
    /// A device that does not answer gets the next change after this time all the same.
    private static var patience: TimeAmount { .seconds(1) }

    private var held: [Kind: (step: Step, until: NIODeadline)] = [:]

    /// Holds nothing.
    package init() {}

    /// When to call ``takeDue(at:isWaiting:)`` at the latest; nil while nothing is held.
    package var nextDeadline: NIODeadline? { self.held.values.map(\.until).min() }

    /// What is held of a kind.
    package subscript(kind: Kind) -> Step? { self.held[kind]?.step }

    /// Holds a change.
    /// - Returns: the one whose place it takes.
    package mutating func hold(_ step: Step, of kind: Kind, at now: NIODeadline) -> Step? {
        let former = self.held[kind]
        self.held[kind] = (step, former?.until ?? now + Self.patience)
        return former?.step
    }

    /// Takes out what may be sent now.
    /// - Parameter isWaiting: whether the answer to a change of the kind is awaited.
    package mutating func takeDue(at now: NIODeadline, isWaiting: (Kind) -> Bool) -> [(kind: Kind, step: Step)] {
        self.take { $0.until <= now || !isWaiting($1) }
    }

    /// Takes out some, or all.
    package mutating func take(where isMeant: (Step) -> Bool = { _ in true }) -> [Step] {
        self.take { held, _ in isMeant(held.step) }.map(\.step)
    }

    private mutating func take(
        where isMeant: ((step: Step, until: NIODeadline), Kind) -> Bool
    ) -> [(kind: Kind, step: Step)] {
        let taken = self.held.filter { isMeant($0.value, $0.key) }
        for kind in taken.keys { self.held[kind] = nil }
        return taken.map { ($0.key, $0.value.step) }
    }
}
