internal import CastTransport
internal import NIOCore
internal import VirtualDevices

/// How many connections of each kind the limit of open files has room for.
///
/// Together with what else the gateway needs they never reach the limit, so that none can take what another needs: the
/// admin listener keeps its own, HTTP of the set-up service gets a quarter of the rest at most when they are short, and
/// Cast senders what is left.
struct DescriptorShares: Sendable, Hashable {
    /// The share of what is left that the set-up service gets when not everything fits: one in so many.
    private static let setupPart = 4

    let senders: Int
    let setup: Int
    let admin: Int

    /// Divides a limit.
    init(_ need: DescriptorNeed, limit: Int) {
        let room = max(0, limit - need.withoutConnections - need.admin)
        self.admin = need.admin
        self.setup = need.senders + need.setup <= room ? need.setup : min(need.setup, max(1, room / Self.setupPart))
        self.senders = max(1, min(need.senders, room - self.setup))
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
    }

    /// An admission with them.
    func admission(_ configuration: GatewayConfiguration) -> Admission {
        let limits = self.limits(configuration)
        return Admission(senders: limits.senders, setup: limits.setup, admin: limits.admin)
    }

    /// The limits of the configuration with no more connections in all than there are descriptors for.
    private func limits(
        _ configuration: GatewayConfiguration
    ) -> (senders: ConnectionLimits, setup: ConnectionLimits, admin: ConnectionLimits) {
        var (senders, setup) = (configuration.senders.connections, configuration.setupLimits.connections)
        senders.total = self.senders
        setup.total = self.setup
        return (senders, setup, ConnectionLimits(total: self.admin, perAddress: self.admin))
    }
}
