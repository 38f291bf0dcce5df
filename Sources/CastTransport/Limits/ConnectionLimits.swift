/// How many connections listeners of one kind take.
public struct ConnectionLimits: Sendable, Hashable {
    /// In all, at least 1.
    public var total: Int
    /// From one address, at least 1.
    public var perAddress: Int
    /// New ones a second from one address, twice as many at once; nil for no limit.
    public var newPerSecond: Int?

    /// Makes limits.
    public init(total: Int, perAddress: Int, newPerSecond: Int? = nil) {
        self.total = total
        self.perAddress = perAddress
        self.newPerSecond = newPerSecond
    }
}
