import CastTransport
import ControlAPI
import DeviceSessions
package import GatewaySettings
import Glibc
import MediaRelay
import NIOCore
import Passthrough
import PluginHosting
import VirtualDevices

/// How many descriptors a configuration may come to need.
package struct DescriptorNeed: Sendable, Hashable {
    /// For the state database, the log, name look-ups, event loops, what opens a file for a moment, and connections that
    /// are accepted to be turned away.
    private static let fixed = 48
    /// What a mirrored stream takes: a socket on each side.
    private static let perStream = 2
    /// How many requests a device is asked at the same time for its set-up port.
    private static let perPassedSetup = SetupProxyLimits().concurrent
    /// Pipes and sockets of a plugin.
    private static let perPlugin = 8

    /// `connections.senders.max_total`.
    let senders: Int
    /// `connections.setup.max_total`; 0 when there is no set-up service.
    let setup: Int
    /// How many a sender takes: two when it may be passed through, whose device has a connection for it too.
    let perSender: Int
    /// `admin.max_connections`; 0 when there is no admin listener.
    let admin: Int
    /// `api.limits.clients`; 0 when there is no API.
    let api: Int
    /// A channel to every real device.
    let devices: Int
    /// What virtual devices listen on.
    let listeners: Int
    /// Sockets of mirrored streams, and what they are waited for by.
    let streams: Int
    /// What plugins are spoken to by.
    let plugins: Int
    /// Everything else, metrics and the join page counted.
    let reserve: Int

    /// Counts, for as many event loops as there are processors.
    package init(_ configuration: GatewayConfiguration) {
        self.init(configuration, eventLoops: System.coreCount)
    }

    /// Counts.
    init(_ configuration: GatewayConfiguration, eventLoops: Int) {
        let endpoints = configuration.virtualDevices.reduce(0) { count, device in
            count + (device.setup.http == nil ? 0 : 1) + (device.setup.https == nil ? 0 : 1)
        }
        let fetches = configuration.virtualDevices.count { $0.passedName != nil && $0.setup.http != nil }
        let relays = configuration.virtualDevices.count { $0.channelName != nil }
        self.perSender = configuration.virtualDevices.contains { $0.passedName != nil } ? 2 : 1
        self.senders = configuration.senders.connections.total
        self.setup = endpoints == 0 ? 0 : configuration.setupLimits.connections.total
        self.admin = configuration.admin.listen == .off ? 0 : configuration.admin.maxConnections
        self.api = configuration.api.listen == nil ? 0 : configuration.api.limits.clients
        let found = configuration.discovery.template?.atMost ?? 0
        self.devices =
            max(configuration.discovery.staticDevices.count, relays) + found + fetches * Self.perPassedSetup
        self.listeners = configuration.virtualDevices.count + endpoints + found + (self.api == 0 ? 0 : 1)
        self.streams = Self.streams(configuration)
        self.plugins = configuration.plugins.instances.count * Self.perPlugin
        let metrics = configuration.metrics?.listen == nil ? 0 : 1 + MetricsConfiguration.maximumConnections
        let guests = configuration.api.join.listen == nil ? 0 : 1 + JoinPageSettings.maximumConnections
        let hasCallers = self.admin + self.api + metrics + guests > 0
        let loops = eventLoops + (hasCallers ? ControlLoops.count(beside: eventLoops) : 0)
        self.reserve = Self.fixed + 3 * loops + metrics + guests
    }

    private static func streams(_ configuration: GatewayConfiguration) -> Int {
        let devices = configuration.virtualDevices
        let relayed = devices.count { $0.targetName != nil && ($0.mirroring ?? MirroringConfiguration()).udp == .relay }
        let passed = devices.count(where: \.isMirroredThrough)
        let most = [
            relayed * MirroringConfiguration.maximumStreams, passed * PassedStreams.maximumPerDevice,
        ].map { min($0, MediaRelayPool.maximum) }
        // Each kind is waited for by a descriptor, and a socket of its own brings the first datagrams of those that are passed through.
        let waits = (relayed > 0 ? 1 : 0) + (passed > 0 ? 2 : 0)
        return most.reduce(waits) { $0 + $1 * Self.perStream }
    }

    /// What is needed before anybody connects.
    var withoutConnections: Int { self.devices + self.listeners + self.streams + self.plugins + self.reserve }

    /// All together.
    package var total: Int {
        self.withoutConnections + self.senders * self.perSender + self.setup + self.admin + self.api
    }

    /// The least with which one connection of each kind is served.
    package var minimum: Int {
        self.withoutConnections + self.admin + self.perSender + min(self.setup, 1) + min(self.api, 1)
    }

    /// How many senders are let in when everything else has what it needs; 0 when not even that has.
    package func sendersThatFit(in limit: Int) -> Int {
        limit < self.minimum ? 0 : DescriptorShares(self, limit: limit).senders
    }
}

/// How many connections of each kind the limit of open files has room for.
///
/// Together with what else the gateway needs they never reach the limit, so that none can take what another needs: the
/// admin listener keeps its own, HTTP of the set-up service and the API get a quarter of the rest each at most when they are short,
/// and Cast senders what is left.
struct DescriptorShares: Sendable, Hashable {
    /// The share of what is left that the set-up service gets when not everything fits, and the API too: one in so many.
    private static let part = 4
    /// Connections of one address to the API whose caller need not be known, at least: a browser opens several at once.
    private static let minimumStrangers = 8

    let senders: Int
    let setup: Int
    let admin: Int
    let api: Int

    /// Divides a limit.
    init(_ need: DescriptorNeed, limit: Int) {
        let room = max(0, limit - need.withoutConnections - need.admin)
        self.admin = need.admin
        let senders = need.senders * need.perSender
        let fits = senders + need.setup + need.api <= room
        let share = max(1, room / Self.part)
        self.setup = fits ? need.setup : min(need.setup, share)
        self.api = fits ? need.api : min(need.api, max(share, room - self.setup - senders))
        self.senders = max(1, min(need.senders, (room - self.setup - self.api) / need.perSender))
    }

    /// Divides the process's limit.
    init(_ configuration: GatewayConfiguration, eventLoops: Int, limit: Int = DescriptorLimit.current.soft) {
        self.init(DescriptorNeed(configuration, eventLoops: eventLoops), limit: limit)
    }

    /// Puts them in force for connections to come.
    func apply(_ configuration: GatewayConfiguration, to admission: Admission) {
        let limits = self.limits(configuration)
        admission.limit(.senders, to: limits.senders, at: .now())
        admission.limit(.setup, to: limits.setup, at: .now())
        admission.limit(.admin, to: limits.admin, at: .now())
        admission.limit(.api, to: limits.api, at: .now())
    }

    /// An admission with them, within a budget of bytes.
    func admission(_ configuration: GatewayConfiguration, _ budget: PeerBudget?) -> Admission {
        let limits = self.limits(configuration)
        let metrics = MetricsConfiguration.maximumConnections
        return Admission(
            senders: limits.senders, setup: limits.setup, admin: limits.admin, api: limits.api,
            metrics: ConnectionLimits(total: metrics, perAddress: metrics, unfinishedPerAddress: metrics),
            guests: ConnectionLimits(
                total: JoinPageSettings.maximumConnections, perAddress: JoinPageSettings.maximumPerAddress,
                newPerSecond: JoinPageSettings.perSecond, unfinishedPerAddress: JoinPageSettings.maximumPerAddress),
            budget: budget)
    }

    /// The limits of the configuration with no more connections in all than there are descriptors for.
    private func limits(
        _ configuration: GatewayConfiguration
    ) -> (senders: ConnectionLimits, setup: ConnectionLimits, admin: ConnectionLimits, api: ConnectionLimits) {
        var (senders, setup) = (configuration.senders.connections, configuration.setupLimits.connections)
        senders.total = self.senders
        setup.total = self.setup
        let admin = ConnectionLimits(
            total: self.admin, perAddress: self.admin, unfinishedPerAddress: max(self.admin, 1))
        let clients = max(self.api, 1)
        // Behind a proxy all callers have one address, so only those that are not known are counted by it.
        let api = ConnectionLimits(
            total: clients, perAddress: clients, newPerSecond: configuration.api.limits.requestsPerSecond,
            unfinishedPerAddress: max(Self.minimumStrangers, clients / Self.part))
        return (senders, setup, admin, api)
    }
}

/// How many files and sockets the process may have open.
package struct DescriptorLimit: Sendable, Hashable {
    /// What counts now.
    package let soft: Int
    /// What the process may raise it to.
    package let hard: Int

    /// The limits in force.
    package static var current: DescriptorLimit {
        var limit = rlimit()
        guard getrlimit(Self.kind, &limit) == 0 else { return DescriptorLimit(soft: 1024, hard: 1024) }
        return DescriptorLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }

    /// Raises the soft limit to the hard one.
    ///
    /// Shells and service managers set a soft limit of 1024 for programs that use select(2), which Castway does not.
    /// - Returns: the limits afterwards.
    @discardableResult
    package static func raise() -> DescriptorLimit {
        var limit = rlimit()
        if getrlimit(Self.kind, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(Self.kind, &limit)
        }
        return Self.current
    }

    /// How many are open; nil when even that cannot be found out, mostly for want of a descriptor.
    package static var openCount: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Neither `.` and `..` nor the folder itself.
        return count - 3
    }

    private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
