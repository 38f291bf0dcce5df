extension MetricDeclaration {
    private static let plugin = Label("plugin", "The name of the instance in `gateway.yaml`")
    private static let phase = Label("phase", "`filter` or `handle`")

    /// Whether a plugin answers.
    package static let pluginUp = MetricDeclaration(
        "castway_plugin_up", .gauge, "1 while the plugin answers messages, else 0", labels: [Self.plugin])
    /// Starts after the first.
    package static let pluginRestarts = MetricDeclaration(
        "castway_plugin_restarts_total", .counter, "How often the plugin was started again",
        labels: [
            Self.plugin,
            Label(
                "reason",
                "How its process ended before: `exited`, `signalled`, `failed` when the gateway had to end it, `requested` by an operator or a reload"
            ),
        ])
    /// Questions to a plugin.
    package static let pluginCalls = MetricDeclaration(
        "castway_plugin_calls_total", .counter, "Messages that the plugin was to be asked about",
        labels: [
            Self.plugin, Self.phase,
            Label(
                "result",
                "`ok`, `error` for an error or the loss of the process, `timeout`, `invalid` for a verdict that makes no sense, `overloaded` when too many waited for it, `abandoned` when the sender went away, `breaker` when it was not asked since it kept failing"
            ),
        ])
    /// How long a plugin takes.
    package static let pluginCallDuration = MetricDeclaration(
        "castway_plugin_call_duration_seconds", .histogram,
        "How long the plugin took to decide about a message, from when it was asked; what it never decided about is left out",
        labels: [Self.plugin, Self.phase])
    /// Messages with a plugin.
    package static let pluginInFlight = MetricDeclaration(
        "castway_plugin_in_flight", .gauge, "Messages that the plugin has, or that wait for it", labels: [Self.plugin])
    /// Circuit breakers.
    package static let pluginBreakerOpen = MetricDeclaration(
        "castway_plugin_breaker_open", .gauge,
        "Virtual devices on which the plugin is not asked for a while, since it kept failing", labels: [Self.plugin])
    package static let pluginMemory = MetricDeclaration(
        "castway_plugin_resident_memory_bytes", .gauge,
        "Memory of the plugin's process; missing for a module and for one that does not run", labels: [Self.plugin])
    /// Lines that are none of the protocol.
    package static let pluginNoise = MetricDeclaration(
        "castway_plugin_stdout_noise_total", .counter, "Lines of the plugin that are none of the protocol",
        labels: [Self.plugin])
    /// Answers after the deadline.
    package static let pluginLateReplies = MetricDeclaration(
        "castway_plugin_late_replies_total", .counter, "Verdicts that came after their deadline", labels: [Self.plugin])
    /// Copies that a plugin did not get.
    package static let observeDrops = MetricDeclaration(
        "castway_observe_dropped_total", .counter, "Copies and events that the plugin was too slow for",
        labels: [Self.plugin])

    static let plugins: [MetricDeclaration] = [
        Self.pluginUp, Self.pluginRestarts, Self.pluginCalls, Self.pluginCallDuration, Self.pluginInFlight,
        Self.pluginBreakerOpen, Self.pluginMemory, Self.pluginNoise, Self.pluginLateReplies, Self.observeDrops,
    ]

    // MARK: The process; names as Prometheus' own client libraries have them

    /// Processor time.
    package static let processCPU = MetricDeclaration(
        "process_cpu_seconds_total", .counter, "Processor time of the gateway, in user and system mode")
    package static let processMemory = MetricDeclaration(
        "process_resident_memory_bytes", .gauge, "Memory of the gateway that is in use")
    /// Address space.
    package static let processVirtualMemory = MetricDeclaration(
        "process_virtual_memory_bytes", .gauge, "Address space of the gateway")
    package static let processOpenFiles = MetricDeclaration(
        "process_open_fds", .gauge, "Files and sockets that the gateway has open")
    /// How many files there may be.
    package static let processMaximumFiles = MetricDeclaration(
        "process_max_fds", .gauge, "How many files and sockets it may have open")
    package static let processThreads = MetricDeclaration("process_threads", .gauge, "Threads of the gateway")
    /// When the process began.
    package static let processStart = MetricDeclaration(
        "process_start_time_seconds", .gauge, "When the gateway was started, in seconds since 1970")

    static let process: [MetricDeclaration] = [
        Self.processCPU, Self.processMemory, Self.processVirtualMemory, Self.processOpenFiles, Self.processMaximumFiles,
        Self.processThreads, Self.processStart,
    ]
}
