import CastTransport
internal import ControlAPI
internal import DeviceSessions
internal import NIOCore
internal import PluginHosting
internal import VirtualDevices

/// How many descriptors a configuration may come to need.
public struct DescriptorNeed: Sendable, Hashable {
    /// For the state database, the log, name look-ups, event loops, what opens a file for a moment, and connections that
    /// are accepted to be turned away.
    private static let fixed = 48
    /// Pipes and sockets of a plugin.
    private static let perPlugin = 8

    /// `connections.senders.max_total`.
    let senders: Int
    /// `connections.setup.max_total`; 0 when there is no set-up service.
    let setup: Int
    /// `admin.max_connections`; 0 when there is no admin listener.
    let admin: Int
    /// A channel to every real device.
    let devices: Int
    /// What virtual devices listen on.
    let listeners: Int
    /// What plugins are spoken to by.
    let plugins: Int
    /// Everything else.
    let reserve: Int

    /// Counts, for as many event loops as there are processors.
    public init(_ configuration: GatewayConfiguration) {
        self.init(configuration, eventLoops: System.coreCount)
    }

    /// Counts.
    init(_ configuration: GatewayConfiguration, eventLoops: Int) {
        let endpoints = configuration.virtualDevices.reduce(0) { count, device in
            count + (device.setup.http == nil ? 0 : 1) + (device.setup.https == nil ? 0 : 1)
        }
        let relays = configuration.virtualDevices.count { $0.target != .local }
        self.senders = configuration.senders.connections.total
        self.setup = endpoints == 0 ? 0 : configuration.setupLimits.connections.total
        self.admin = configuration.admin.listen == .off ? 0 : configuration.admin.maxConnections
        self.devices = max(configuration.discovery.staticDevices.count, relays)
        self.listeners = configuration.virtualDevices.count + endpoints
        self.plugins = configuration.plugins.instances.count * Self.perPlugin
        self.reserve = Self.fixed + 3 * eventLoops
    }

    /// What is needed before anybody connects.
    var withoutConnections: Int { self.devices + self.listeners + self.plugins + self.reserve }

    /// All together.
    public var total: Int { self.withoutConnections + self.senders + self.setup + self.admin }

    /// How many senders are let in when everything else has what it needs; 0 when not even that has.
    public func sendersThatFit(in limit: Int) -> Int {
        limit <= self.withoutConnections + self.admin ? 0 : DescriptorShares(self, limit: limit).senders
    }
}
