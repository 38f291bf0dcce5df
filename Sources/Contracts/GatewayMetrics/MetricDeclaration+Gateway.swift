extension MetricDeclaration {
    /// Every metric of a gateway, in the order of the reference.
    package static let all: [MetricDeclaration] =
        Self.gateway + Self.devices + Self.mirroring + Self.traffic + Self.plugins + Self.bridges + Self.interfaces
        + Self.joining + Self.pictures + Self.process

    // MARK: The gateway itself

    /// Which Castway this is.
    package static let buildInfo = MetricDeclaration(
        "castway_build_info", .info, "Which Castway runs",
        labels: [
            Label("version", "Castway's version"), Label("swift", "The version of the compiler that made it"),
            Label("protocol", "The newest version of the plugin protocol that it speaks"),
        ])
    /// Reloads by their outcome.
    package static let reloads = MetricDeclaration(
        "castway_config_reloads_total", .counter, "Reloads of the configuration, dry runs left out",
        labels: [Label("result", "`ok`, or `failed` when the old configuration stayed")])
    /// Whether the last reload was put in force.
    package static let lastReloadSuccessful = MetricDeclaration(
        "castway_config_last_reload_successful", .gauge,
        "1 when the last reload was put in force, or there was none, 0 when the old configuration stayed")
    /// When the configuration in force was put in force.
    package static let lastReloadTimestamp = MetricDeclaration(
        "castway_config_last_reload_timestamp_seconds", .gauge,
        "When the configuration in force was read, the one of the start counted, in seconds since 1970")
    /// When certificates end.
    package static let certificateExpiry = MetricDeclaration(
        "castway_certificate_expiry_timestamp_seconds", .gauge, "When a certificate ends, in seconds since 1970",
        labels: [
            Label(
                "name",
                "`root`, which vouches for the virtual devices, and `virtual_device`: of what they show senders, that which ends first"
            )
        ])
    /// What did not fit.
    package static let seriesOverflows = MetricDeclaration(
        "castway_metrics_series_overflows_total", .counter,
        "How often a series was wanted beyond the thousand that a metric may have; it was counted in the one labelled `other`",
        labels: [Label("metric", "The metric; `other` for one that could not be kept at all")])
    /// What could not be asked.
    package static let scrapeTimeouts = MetricDeclaration(
        "castway_scrape_timeouts_total", .counter,
        "Event loops that did not answer a scrape in time, so that what they know was missing from it")

    private static let gateway: [MetricDeclaration] = [
        Self.buildInfo, Self.reloads, Self.lastReloadSuccessful, Self.lastReloadTimestamp, Self.certificateExpiry,
        Self.seriesOverflows, Self.scrapeTimeouts,
    ]

    // MARK: Devices, channels, sessions

    /// Real devices by how they can be reached.
    package static let realDevices = MetricDeclaration(
        "castway_devices", .gauge, "Real devices that the gateway keeps a channel to",
        labels: [Label("state", "`online`, `offline`, or `unknown` while no address is known")])
    /// Dials of real devices.
    package static let deviceConnections = MetricDeclaration(
        "castway_device_connections_total", .counter,
        "Attempts to reach a real device, one for each address that was tried",
        labels: [Label("result", "`online` when the device answered, `failed`")])
    /// Channels to real devices that were lost and came back.
    package static let reconnects = MetricDeclaration(
        "castway_channel_reconnects_total", .counter, "Channels to real devices that were lost and stand again",
        labels: [
            Label(
                "reason",
                "Why the channel before was lost: `closed_by_device`, `moved` to another address, `silent_peer`, `failed`, or another of the gateway's words for what ends a channel"
            )
        ])
    /// Open channels.
    package static let channels = MetricDeclaration(
        "castway_channels", .gauge, "Open Cast channels",
        labels: [Label("leg", "`north` to senders, `south` to real devices")])
    /// Senders of each virtual device.
    package static let senders = MetricDeclaration(
        "castway_senders", .gauge, "Senders connected to the virtual devices", isPerDevice: true)
    /// Apps on virtual devices.
    package static let apps = MetricDeclaration(
        "castway_apps", .gauge, "Apps that run on what stands behind the virtual devices", isPerDevice: true)
    /// Connections of senders that are passed through.
    package static let passthroughConnections = MetricDeclaration(
        "castway_passthrough_connections_total", .counter,
        "Connections of senders to virtual devices that pass them through",
        labels: [Label("result", "`connected` when the real device answered, `refused`")])
    /// What passes through.
    package static let passthroughBytes = MetricDeclaration(
        "castway_passthrough_bytes_total", .counter, "Bytes that were passed through between senders and real devices",
        labels: [Label("from", "`sender`, `device`")])
    /// Castway's own sessions.
    package static let sessions = MetricDeclaration(
        "castway_sessions", .gauge, "The gateway's own sessions with apps on real devices",
        labels: [
            Label(
                "state",
                "`connecting`, `connected`, `disconnecting`, or `disconnected` while it is suspended")
        ])

    private static let devices: [MetricDeclaration] = [
        Self.realDevices, Self.deviceConnections, Self.reconnects, Self.channels, Self.senders, Self.apps,
        Self.passthroughConnections, Self.passthroughBytes, Self.sessions,
    ]

    // MARK: Messages

    private static let leg = Label(
        "leg",
        "Where the message came in: `north` from a sender, `south` from what stands behind the virtual device, `internal` from a plugin or the API; `own` for all to and from apps by the gateway's own sessions with real devices"
    )
    private static let direction = Label("direction", "`to_receiver` or `to_sender`")

    /// Routed messages.
    package static let messages = MetricDeclaration(
        "castway_messages_total", .counter,
        "Messages that the routers of virtual devices, and of the gateway's own sessions, have decided about; heartbeats and virtual connections are none",
        labels: [
            Self.leg, Self.direction,
            Label(
                "namespace",
                "The most specific claim of a handler, channel or plugin that the message's namespace falls under, as `gateway.yaml` has it; `other` for all the rest"
            ),
            Label(
                "disposition",
                "`forwarded`, `replied` by a handler, `handled` without an answer, `rejected`, `dropped`, or `abandoned` since the sender went away while the message waited"
            ),
        ], isPerDevice: true)
    /// Payload bytes of routed messages.
    package static let messageBytes = MetricDeclaration(
        "castway_message_bytes_total", .counter, "Bytes of the payloads of these messages",
        labels: [Self.leg, Self.direction], isPerDevice: true)
    /// How long handlers take.
    package static let routeDuration = MetricDeclaration(
        "castway_route_duration_seconds", .histogram,
        "How long handlers took for a message, from when each was asked to its verdict; messages that no handler sees are forwarded at once and not measured",
        labels: [Label("phase", "`filter`, `handle` or `observe`")], isPerDevice: true)
    /// Messages that a flow could not keep.
    package static let flowDrops = MetricDeclaration(
        "castway_flow_queue_dropped_total", .counter, "Messages that could not wait behind a deferred one",
        labels: [Label("reason", "`full` when too many waited, `closed` when the sender went away")], isPerDevice: true)
    package static let handlerFailures = MetricDeclaration(
        "castway_handler_failures_total", .counter,
        "Calls of handlers and plugins that threw, were late, or gave a verdict that makes no sense", isPerDevice: true)

    private static let traffic: [MetricDeclaration] = [
        Self.messages, Self.messageBytes, Self.routeDuration, Self.flowDrops, Self.handlerFailures,
    ]

    // MARK: Ways in

    /// Requests over HTTP.
    package static let httpRequests = MetricDeclaration(
        "castway_http_requests_total", .counter,
        "HTTP requests that were answered, those of the API, the admin listener and the metrics listener; a WebSocket is one with the status 101",
        labels: [
            Label("route", "The pattern of the route, such as `/api/v1/plugins/{plugin}`; `other` for no route"),
            Label("code", "The status of the answer"),
        ])
    /// WebSockets of the API.
    package static let websocketClients = MetricDeclaration(
        "castway_websocket_clients", .gauge, "WebSockets of the API and of the admin listener that are open")
    package static let journalEvents = MetricDeclaration(
        "castway_journal_events_total", .counter, "Events that the journal has numbered",
        labels: [
            Label(
                "class",
                "`state` for the latest value of a resource, `log` for what comes once, `lost` for what came faster than the journal could take it"
            )
        ])
    /// Events that readers did not get.
    package static let journalSkips = MetricDeclaration(
        "castway_journal_skipped_total", .counter,
        "Events that slow readers were told of in number only, counted for each reader",
        labels: [
            Label(
                "reason",
                "`coalesced` into a later event of the same resource, lost in a `gap`, or `left_out`, for all readers, since a peer caused too many"
            )
        ])
    /// Readers that had to begin anew.
    package static let journalResyncs = MetricDeclaration(
        "castway_journal_resyncs_total", .counter,
        "How often a reader could not be told what it had missed, and got the latest values instead")

    private static let interfaces: [MetricDeclaration] = [
        Self.httpRequests, Self.websocketClients, Self.journalEvents, Self.journalSkips, Self.journalResyncs,
    ]
}
