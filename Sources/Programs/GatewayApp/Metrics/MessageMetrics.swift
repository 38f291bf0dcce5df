import GatewayCore
import GatewayMetrics

/// What the routers of virtual devices have counted, as metrics.
struct MessageMetrics: Sendable {
    let devices: [String: MessageCounts]
    /// Whether the devices are told apart.
    let isPerDevice: Bool

    /// The metrics; all devices together under no name unless they are told apart.
    var families: [MetricFamily] {
        var families: [MetricFamily] = []
        if self.isPerDevice {
            for (device, counts) in self.devices { families += Self.families(of: counts, [device]) }
        } else {
            families += Self.families(of: self.devices.values.reduce(into: MessageCounts()) { $0 += $1 }, [])
        }
        return families
    }

    private static func families(of counts: MessageCounts, _ device: [String]) -> [MetricFamily] {
        var messages = MetricFamily(.messages)
        for (key, count) in counts.messages {
            messages.add(
                Self.labels(key.way) + [key.namespace, key.disposition.rawValue] + device, Double(count))
        }
        var bytes = MetricFamily(.messageBytes)
        for (way, count) in counts.bytes { bytes.add(Self.labels(way) + device, Double(count)) }
        var durations = MetricFamily(.routeDuration)
        for (phase, counts) in counts.durations { durations.add([phase.rawValue] + device, .histogram(counts)) }
        var drops = MetricFamily(.flowDrops)
        drops.add(["full"] + device, Double(counts.flowsFull))
        drops.add(["closed"] + device, Double(counts.flowsClosed))
        var failures = MetricFamily(.handlerFailures)
        failures.add(device, Double(counts.failures))
        return [messages, bytes, durations, drops, failures]
    }

    private static func labels(_ way: MessageCounts.Way) -> [String] {
        [way.leg.rawValue, way.direction == .toReceiver ? "to_receiver" : "to_sender"]
    }
}
