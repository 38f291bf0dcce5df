import GatewayMetrics
import Passthrough
import VirtualDevices

/// The virtual devices and their senders, as metrics.
struct VirtualDeviceMetrics: Sendable {
    let states: [VirtualDeviceState]
    /// The devices whose senders are passed through.
    let passed: [PassthroughOverview]
    /// Whether the devices are told apart.
    let isPerDevice: Bool

    /// The metrics of all virtual devices.
    var families: [MetricFamily] { self.senders + self.connections }

    private var senders: [MetricFamily] {
        var (senders, apps) = (MetricFamily(.senders), MetricFamily(.apps))
        if self.isPerDevice {
            let names = Set(self.passed.map(\.name))
            for state in self.states {
                if !names.contains(state.name) { senders.add([state.name], Double(state.senders)) }
                apps.add([state.name], Double(state.sessions))
            }
            for device in self.passed { senders.add([device.name], Double(device.splices.count)) }
        } else {
            let splices = self.passed.reduce(0) { $0 + $1.splices.count }
            senders.add([], Double(self.states.reduce(splices) { $0 + $1.senders }))
            apps.add([], Double(self.states.reduce(0) { $0 + $1.sessions }))
        }
        return [senders, apps]
    }

    private var connections: [MetricFamily] {
        var (connections, bytes) = (MetricFamily(.passthroughConnections), MetricFamily(.passthroughBytes))
        let counts = self.passed.map(\.counts)
        connections.add(["connected"], Double(counts.reduce(0) { $0 + $1.opened }))
        connections.add(["refused"], Double(counts.reduce(0) { $0 + $1.refused }))
        bytes.add(["sender"], Double(counts.reduce(0) { $0 + $1.fromSenders }))
        bytes.add(["device"], Double(counts.reduce(0) { $0 + $1.fromDevice }))
        return [connections, bytes]
    }
}
