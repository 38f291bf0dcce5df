/// An operation that callers may wait for.
enum SessionOperation: Hashable, Sendable {
    case start, resume, end
}
