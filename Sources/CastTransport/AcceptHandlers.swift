public import NIOCore

/// What every listening channel has, whatever it listens for: a pause when descriptors are short, and a pace.
public enum AcceptHandlers {
    /// Adds the handlers; called in the initializer of the listening channel.
    /// - Parameters:
    ///   - acceptsPerSecond: connections that are looked at in a second, be they admitted or not; nil for no limit. Asked
    ///     again and again, so that it may change.
    ///   - reserve: as for ``AcceptWatch``.
    ///   - accepting: called for every connection that comes in, before it is admitted, and for every failure to accept.
    /// - Throws: when the channel is closed already.
    public static func install(
        in channel: any Channel, acceptsPerSecond: @escaping @Sendable () -> Int?, reserve: DescriptorReserve? = nil,
        accepting: @escaping @Sendable (_ outcome: AcceptOutcome) -> Void
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(AcceptWatch(report: accepting, reserve: reserve))
        try pipeline.addHandler(AcceptPaceHandler(perSecond: acceptsPerSecond()))
    }
}
