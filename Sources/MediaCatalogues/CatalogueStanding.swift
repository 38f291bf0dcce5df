/// How one catalogue stands: what callers are told of it.
public struct CatalogueStanding: Sendable, Hashable {
    /// Whether the list is there.
    public enum State: String, Sendable, CaseIterable {
        /// It has not been read yet.
        case waiting
        /// It was read, or has not changed since.
        case read
        /// It could not be read the last time; a list that was read before stays in use.
        case failed
    }

    /// The name.
    public var name: String
    /// Where it is: a path, or scheme, host and port of a URL, whose path and query may hold tokens.
    public var place: String
    /// Whether the list is there.
    public var state = State.waiting
    /// The last good list; nil when there has been none.
    public var list: CatalogueList?
    /// When the list was read or found unchanged the last time, in seconds since 1970; nil when it never was.
    public var readAt: Int64?
    /// When it was tried the last time, in seconds since 1970; nil when it never was.
    public var triedAt: Int64?
    /// Why it could not be read the last time; nil when it was read.
    public var fault: CatalogueFault?
    /// The MIME types of sources, the best first.
    public var prefer: [String]
}
