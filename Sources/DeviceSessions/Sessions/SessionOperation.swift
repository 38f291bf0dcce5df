/// What somebody waits for.
enum SessionOperation: Hashable, Sendable {
    case start, resume, end
}
