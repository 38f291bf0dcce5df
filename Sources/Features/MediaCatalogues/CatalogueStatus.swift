/// The status of one catalogue, for callers.
package struct CatalogueStatus: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case waiting
        /// It was read, or has not changed since.
        case read
        /// It could not be read the last time; a list that was read before stays in use.
        case failed
    }

    package var name: String
    /// The place: a path, or scheme, host and port of a URL, whose path and query may hold tokens.
    package var place: String
    package var state = State.waiting
    /// The last good list; nil when there has been none.
    package var list: CatalogueList?
    /// The time when the list was read or found unchanged the last time, in seconds since 1970; nil when it never was.
    package var readAt: Int64?
    /// The time when it was tried the last time, in seconds since 1970; nil when it never was.
    package var triedAt: Int64?
    /// The reason it could not be read the last time; nil when it was read.
    package var fault: CatalogueFault?
    /// The MIME types of sources, the best first.
    package var prefer: [String]
}
