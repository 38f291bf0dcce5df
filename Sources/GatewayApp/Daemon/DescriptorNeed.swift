internal import DeviceSessions
internal import NIOCore
internal import VirtualDevices

/// How many descriptors a configuration may come to need.
public struct DescriptorNeed: Sendable, Hashable {
    /// For the state database, the log, name look-ups, event loops, and what opens a file for a moment.
    private static let fixed = 48

    /// `connections.senders.max_total`.
    let senders: Int
    /// A channel to every real device.
    let devices: Int
    /// What virtual devices listen on.
    let listeners: Int
    /// Everything else.
    let reserve: Int

    /// Counts, for as many event loops as there are processors.
    public init(_ configuration: GatewayConfiguration) {
        self.init(configuration, eventLoops: System.coreCount)
    }

    /// Counts.
    init(_ configuration: GatewayConfiguration, eventLoops: Int) {
        self.senders = configuration.senders.maxTotal
        self.devices = configuration.discovery.staticDevices.count
        self.listeners = configuration.virtualDevices.reduce(0) { count, device in
            count + 1 + (device.setup.http == nil ? 0 : 1) + (device.setup.https == nil ? 0 : 1)
        }
        self.reserve = Self.fixed + 3 * eventLoops
    }

    /// All together.
    public var total: Int { self.senders + self.devices + self.listeners + self.reserve }

    /// How many senders fit when everything else has what it needs.
    public func sendersThatFit(in limit: Int) -> Int { max(0, limit - (self.total - self.senders)) }
}
