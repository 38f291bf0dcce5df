extension MetricDeclaration {
    private static let bridge = Label(
        "bridge", "`webhook:NAME`, `mqtt`, or `app` for messages that are kept for apps that do not run")

    /// Whether a bridge is used.
    package static let bridgeUp = MetricDeclaration(
        "castway_bridge_up", .gauge,
        "1 while the bridge can be reached as far as is known, 0 while it cannot, or wants nothing any more",
        labels: [Self.bridge])
    /// Messages that wait.
    package static let bridgeWaiting = MetricDeclaration(
        "castway_bridge_waiting_messages", .gauge, "Messages in the outbox that have not arrived", labels: [Self.bridge]
    )
    /// Their bytes.
    package static let bridgeWaitingBytes = MetricDeclaration(
        "castway_bridge_waiting_bytes", .gauge, "What these messages count of `queue.size`", labels: [Self.bridge])
    package static let bridgeDeadLetters = MetricDeclaration(
        "castway_bridge_dead_letters", .gauge, "Dead letters that are kept", labels: [Self.bridge])
    /// Messages that were given up.
    package static let bridgeGivenUp = MetricDeclaration(
        "castway_bridge_given_up_total", .counter, "Messages that became dead letters", labels: [Self.bridge])
    /// Messages that were not taken.
    package static let bridgeOverflows = MetricDeclaration(
        "castway_bridge_overflows_total", .counter, "Messages that were not taken, since too much waited",
        labels: [Self.bridge])
    /// Attempts by their outcome.
    package static let bridgeAttempts = MetricDeclaration(
        "castway_bridge_attempts_total", .counter, "Attempts to bring a message to its destination",
        labels: [
            Self.bridge,
            Label(
                "result",
                "`delivered`, `refused` by the destination, `absent` when the app does not run, `unavailable` when the destination was out of reach or too busy, `gone` when it wants nothing any more"
            ),
        ])
    /// How long messages take.
    package static let bridgeDeliveryDuration = MetricDeclaration(
        "castway_bridge_delivery_duration_seconds", .histogram,
        "How long messages took from when they were taken until the destination said that it has them",
        labels: [Self.bridge])
    /// Replies of webhooks.
    package static let bridgeReplies = MetricDeclaration(
        "castway_bridge_replies_total", .counter, "Messages of senders whose reply a webhook was asked for",
        labels: [
            Self.bridge, Label("result", "`answered`, `empty` when it had no reply, `failed` when none came in time"),
        ])
    /// The outbox on disk.
    package static let outboxSize = MetricDeclaration(
        "castway_outbox_size_bytes", .gauge, "The files of the outbox's database; nothing while there is none")
    package static let outboxCommits = MetricDeclaration(
        "castway_outbox_commits_total", .counter,
        "Transactions of the outbox; under load one writes many messages")
    /// Whether the outbox is lost with the process.
    package static let outboxVolatile = MetricDeclaration(
        "castway_outbox_volatile", .gauge,
        "1 while messages for bridges are kept in memory alone, since nothing can be written, else 0")
    /// Whether the broker is there.
    package static let mqttConnected = MetricDeclaration(
        "castway_mqtt_connected", .gauge, "1 while the broker is connected, else 0; nothing without a broker")
    /// Commands over MQTT.
    package static let mqttCommands = MetricDeclaration(
        "castway_mqtt_commands_total", .counter, "Messages to command topics",
        labels: [
            Label(
                "result",
                "`done`, `failed` with a problem, `invalid`, `retained`, `duplicate` or `overflow` when it was not carried out for that"
            )
        ])
    /// Messages that channels refused.
    package static let channelRefusals = MetricDeclaration(
        "castway_channel_refusals_total", .counter, "Messages that a channel did not take",
        labels: [
            Label("namespace", "The channel, as `channels` in `gateway.yaml` has it"),
            Label(
                "rule",
                "`format`, `size`, `rate`, `accept` for a way in that the channel does not have, `full` when too much waited for the back end, `absent` when the app did not run and the message was not kept"
            ),
        ])

    static let bridges: [MetricDeclaration] = [
        Self.bridgeUp, Self.bridgeWaiting, Self.bridgeWaitingBytes, Self.bridgeDeadLetters, Self.bridgeGivenUp,
        Self.bridgeOverflows, Self.bridgeAttempts, Self.bridgeDeliveryDuration, Self.bridgeReplies, Self.outboxSize,
        Self.outboxCommits, Self.outboxVolatile, Self.mqttConnected, Self.mqttCommands, Self.channelRefusals,
    ]
}
