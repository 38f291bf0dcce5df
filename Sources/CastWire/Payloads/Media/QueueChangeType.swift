/// What happened to a queue (protocol notes, 6.3).
public struct QueueChangeType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Items were inserted.
    public static let insert = QueueChangeType(rawValue: "INSERT")
    /// Items were removed.
    public static let remove = QueueChangeType(rawValue: "REMOVE")
    /// The content of items changed.
    public static let itemsChange = QueueChangeType(rawValue: "ITEMS_CHANGE")
    /// The order changed.
    public static let update = QueueChangeType(rawValue: "UPDATE")
    /// Nothing.
    public static let noChange = QueueChangeType(rawValue: "NO_CHANGE")
}
