import GatewayMetrics
import MediaRelay

/// The metrics of the streams of mirroring senders.
enum MirroringMetrics {
    /// Tells what was counted: every direction and every reason is there from the start, so that a rate is right from the first
    /// datagram on.
    static func families(
        _ relayed: (open: Int, ended: UInt64, counts: MediaCounts),
        _ passed: (open: Int, ended: UInt64, counts: MediaCounts)
    ) -> [MetricFamily] {
        let streams = (
            open: relayed.open + passed.open, ended: relayed.ended &+ passed.ended,
            counts: relayed.counts + passed.counts
        )
        var (packets, bytes) = (MetricFamily(.mirroringPackets), MetricFamily(.mirroringBytes))
        for direction in MediaCounts.Direction.allCases {
            packets.add([direction.rawValue], Double(streams.counts.packets[direction] ?? 0))
            bytes.add([direction.rawValue], Double(streams.counts.bytes[direction] ?? 0))
        }
        var drops = MetricFamily(.mirroringDrops)
        for reason in MediaCounts.Drop.allCases {
            drops.add([reason.rawValue], Double(streams.counts.drops[reason] ?? 0))
        }
        return [
            MetricFamily(.mirroringStreams, Double(streams.open)),
            MetricFamily(.mirroringStreamsEnded, Double(streams.ended)), packets, bytes, drops,
        ]
    }
}
