/// What a router has counted since it was made.
public struct RoutingCounts: Hashable, Sendable {
    /// Messages refused, by the reason on the wire.
    public var rejected: [String: Int] = [:]
    /// Messages swallowed, by the handler's reason.
    public var dropped: [String: Int] = [:]
    /// Messages refused because their flow was full.
    public var overflowed = 0
    /// Calls of handlers that threw, were late, or gave an impossible verdict.
    public var failures = 0
}
