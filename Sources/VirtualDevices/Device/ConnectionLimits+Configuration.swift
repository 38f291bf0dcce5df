public import CastTransport

extension ConnectionLimits {
    /// What the configuration says of senders.
    /// - Parameter total: fewer in all than it says, when descriptors are short.
    public init(_ limits: SenderLimits, total: Int? = nil) {
        self.init(
            total: total ?? limits.maxTotal, perAddress: limits.maxPerAddress, newPerSecond: limits.newPerSecond)
    }

    /// What the configuration says of the set-up service.
    /// - Parameter total: fewer in all than it says, when descriptors are short.
    public init(_ limits: SetupLimits, total: Int? = nil) {
        self.init(
            total: total ?? limits.maxTotal, perAddress: limits.maxPerAddress, newPerSecond: limits.newPerSecond)
    }
}
