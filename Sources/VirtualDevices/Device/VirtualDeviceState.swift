/// What a virtual device that runs is busy with, for the log.
public struct VirtualDeviceState: Sendable, Hashable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// The real device behind it; nil for the built-in receiver.
    public let target: String?
    /// How many senders' channels are open.
    public let senders: Int
    /// How many apps run.
    public let sessions: Int
    /// How many flows wait behind a deferred message.
    public let heldFlows: Int
    /// How many messages were refused since the device began.
    public let rejected: Int
    /// How many calls of handlers failed since the device began.
    public let handlerFailures: Int
    /// The handlers that failed too often and are not asked for a while.
    public let suspendedHandlers: [String]
}
