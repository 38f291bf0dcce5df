/// What a router has counted since it was made.
public struct RoutingCounts: Hashable, Sendable {
    /// Reasons beyond this many are counted together, as `other`: handlers may invent them.
    private static let maximumReasons = 64

    /// Messages refused, by the reason on the wire.
    public private(set) var rejected: [String: Int] = [:]
    /// Messages swallowed, by the handler's reason.
    public private(set) var dropped: [String: Int] = [:]
    /// Messages refused because their flow was full.
    public internal(set) var overflowed = 0
    /// Calls of handlers that threw, were late, or gave an impossible verdict.
    public internal(set) var failures = 0

    mutating func countRejected(_ reason: String) {
        Self.count(reason, in: &self.rejected)
    }

    mutating func countDropped(_ reason: String) {
        Self.count(reason, in: &self.dropped)
    }

    private static func count(_ reason: String, in counts: inout [String: Int]) {
        let isKnown = counts[reason] != nil || counts.count < Self.maximumReasons
        counts[isKnown ? reason : "other", default: 0] += 1
    }
}
