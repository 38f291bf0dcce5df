import DeviceSessions
import GatewayCore
import GatewayMetrics

/// The real devices, their channels and the gateway's own sessions, as metrics.
struct DeviceMetrics: Sendable {
    let census: DeviceSessionDirectory.Census
    let links: LinkCounts

    /// The metrics of all devices.
    var families: [MetricFamily] {
        var devices = MetricFamily(.realDevices)
        devices.add(["online"], Double(self.census.online))
        devices.add(["offline"], Double(self.census.offline))
        devices.add(["unknown"], Double(self.census.unknown))
        var connections = MetricFamily(.deviceConnections)
        connections.add(["online"], Double(self.links.online))
        connections.add(["failed"], Double(self.links.failed))
        var reconnects = MetricFamily(.reconnects)
        for (reason, count) in self.links.reconnects { reconnects.add([reason], Double(count)) }
        var channels = MetricFamily(.channels)
        channels.add(["south"], Double(self.census.online))
        var sessions = MetricFamily(.sessions)
        for state in SessionConnectionState.allCases {
            sessions.add([state.rawValue], Double(self.census.sessions[state] ?? 0))
        }
        return [devices, connections, reconnects, channels, sessions]
    }
}
