import CastWire

/// One thing that happened to the queue of a session of Castway's own.
public struct CastQueueChange: Hashable, Sendable {
    /// What it was.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Everything may be different.
        case reloaded
        /// Items are there that were not.
        case inserted
        /// Items are gone.
        case removed
        /// Items stand at other places.
        case moved
        /// Items have other contents.
        case updated
    }

    /// What it was.
    public var kind: Kind
    /// The ids of the items that it happened to, in their order; none when everything may be different.
    public var items: [Int]
    /// Where each of them stands: in the queue as it is now, and of items that are gone in the queue as it was.
    public var indexes: [Int]
    /// The item before which those stand that were inserted or moved; nil at the end of the queue, and for other changes.
    public var before: Int?

    /// Makes a change.
    public init(_ kind: Kind, items: [Int] = [], indexes: [Int] = [], before: Int? = nil) {
        self.kind = kind
        self.items = items
        self.indexes = indexes
        self.before = before
    }

    private var fields: [EventField] {
        let isKnown = self.kind != .reloaded
        return [
            EventField("change", self.kind, "What happened; `reloaded` when everything may be different"),
            .optional("items", isKnown ? self.items : nil, "The ids of the items that it happened to"),
            .optional(
                "indexes", isKnown ? self.indexes : nil,
                "Where each of them stands, counted from 0; of those that are `removed`, where it stood"),
            .optional(
                "before", isKnown ? self.before : nil,
                "The item before which those stand that were `inserted` or `moved`; missing at the end of the queue"),
        ]
    }

    /// The field of `media.queue`.
    static func field(_ changes: [CastQueueChange]) -> EventField {
        .optional(
            "changes", changes.isEmpty ? nil : changes.map(\.fields.json),
            "What happened to it, one after the other", as: .list(.object(CastQueueChange(.reloaded).fields.members)))
    }
}
