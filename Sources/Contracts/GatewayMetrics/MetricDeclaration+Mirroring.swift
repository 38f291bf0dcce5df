/// The streams of mirroring senders.
extension MetricDeclaration {
    /// Streams that are carried now.
    package static let mirroringStreams = MetricDeclaration(
        "castway_mirroring_streams", .gauge, "Streams of mirroring senders that are carried to real devices")
    package static let mirroringStreamsEnded = MetricDeclaration(
        "castway_mirroring_streams_ended_total", .counter,
        "Streams of mirroring senders that were carried, and are no more")
    /// Datagrams that passed.
    package static let mirroringPackets = MetricDeclaration(
        "castway_mirroring_packets_total", .counter, "Datagrams of mirrored streams that passed",
        labels: [Self.way])
    /// What was in them.
    package static let mirroringBytes = MetricDeclaration(
        "castway_mirroring_bytes_total", .counter, "The content of datagrams of mirrored streams that passed, in bytes",
        labels: [Self.way])
    /// Datagrams that did not pass.
    package static let mirroringDrops = MetricDeclaration(
        "castway_mirroring_dropped_total", .counter, "Datagrams at the ports of mirrored streams that did not pass",
        labels: [
            Label(
                "reason",
                "`foreign_address` and `foreign_port` for those that are not the sender's, `empty`, `too_large`, `early` from a device before its sender, `unreachable`, `full`, `failed`, `overflow` for what the kernel threw away"
            )
        ])

    private static let way = Label("direction", "`to_device` or `to_sender`")

    static let mirroring: [MetricDeclaration] = [
        Self.mirroringStreams, Self.mirroringStreamsEnded, Self.mirroringPackets, Self.mirroringBytes,
        Self.mirroringDrops,
    ]
}
