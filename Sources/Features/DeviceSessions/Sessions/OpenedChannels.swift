import CastWire

/// The channels of an app that callers have opened and closed, for as long as the session is there.
///
/// A channel is open from the beginning, so that what the configuration names needs no caller. One that was opened is told
/// of and recorded, with and without readers; what comes in one that was closed is kept from handlers, bridges and readers.
struct OpenedChannels {
    /// A session has no more than so many that callers have opened, or closed.
    static let limit = 256

    private(set) var opened: Set<Namespace> = []
    private(set) var closed: Set<Namespace> = []

    /// - Returns: false when there are too many.
    mutating func open(_ namespace: Namespace) -> Bool {
        guard self.opened.contains(namespace) || self.opened.count < Self.limit else { return false }
        self.closed.remove(namespace)
        self.opened.insert(namespace)
        return true
    }

    /// - Returns: false when there are too many.
    mutating func close(_ namespace: Namespace) -> Bool {
        guard self.closed.contains(namespace) || self.closed.count < Self.limit else { return false }
        self.opened.remove(namespace)
        self.closed.insert(namespace)
        return true
    }
}
