/// The page about metrics, from their declarations.
package enum MetricReference {
    /// The whole of `Docs/metrics.md`.
    package static func document(_ metrics: [MetricDeclaration]) -> String {
        let sections = Self.sections.map(\.title).map { title in
            let rows = metrics.filter { metric in Self.section(of: metric) == title }.map(Self.row)
            return "### \(title)\n\n| metric | type | meaning |\n|---|---|---|\n" + rows.joined(separator: "\n")
        }
        return Self.introduction + "\n\n" + sections.joined(separator: "\n\n") + "\n"
    }

    /// The headings, and what the names below each begin with; the first that fits counts.
    private static let sections: [(title: String, prefixes: [String])] = [
        ("Plugins", ["castway_plugin_", "castway_observe_"]),
        ("Messages", ["castway_message", "castway_route_", "castway_flow_", "castway_handler_"]),
        (
            "Devices, channels, sessions",
            ["castway_device", "castway_channel", "castway_senders", "castway_apps", "castway_sessions"]
        ),
        ("HTTP and events", ["castway_http_", "castway_websocket_", "castway_journal_"]),
        ("The gateway", ["castway_"]), ("The process", ["process_"]),
    ]

    private static func section(of metric: MetricDeclaration) -> String? {
        self.sections.first { $0.prefixes.contains { metric.name.hasPrefix($0) } }?.title
    }

    private static func row(_ metric: MetricDeclaration) -> String {
        let labels = metric.labels.map { "<br>`\($0.name)`: \($0.meaning)" }.joined()
        return "| `\(metric.name)` | \(metric.kind.rawValue) | \(metric.help)\(labels) |"
    }

    private static let introduction = """
        # Metrics

        Castway tells Prometheus, and whatever reads its text format or OpenMetrics, how it fares. Say where:

        ```yaml
        metrics:
          listen: 127.0.0.1:9095
        ```

        | path | what for |
        |---|---|
        | `/metrics` | the metrics below; OpenMetrics when `Accept` wants it |
        | `/livez` | 200 while the event loops turn, else 503 |
        | `/readyz`, `/healthz` | 200 when senders can use the gateway, else 503; `?verbose` lists what it looks at |
        | `/version` | which Castway it is |

        The admin listener has the same paths, with `metrics` in the file or without it. Without it messages are not counted, which is all that
        counting costs: a message that is counted takes a few additions more on its event loop. The keys are in [gateway-yaml.md](gateway-yaml.md#metrics),
        and a reload changes any of them, the address too.

        There is neither a password nor encryption, so an address that other machines reach has to be allowed: `allow_remote: true`. A scraper on another
        machine asks by the gateway's IP address, or by a name that `hosts` has; web pages are refused.

        [prometheus.yaml](examples/prometheus/prometheus.yaml) is a scrape configuration,
        [castway-alerts.yaml](examples/prometheus/castway-alerts.yaml) five alerts: the gateway is not there, a reload was refused, a plugin does not
        answer, a bridge cannot be reached, messages for a bridge were given up.

        ## What is measured

        Labels are bounded: nothing that a sender or a device invents becomes a label. Namespaces are told apart as far as a handler, a channel or a plugin claims
        them; the rest is `other`. A metric has at most a thousand series of its own, and what goes beyond is counted in one that says `other`. With
        `metrics.per_device: true` some metrics are told apart by virtual device. What has not happened yet may be missing. Counters begin anew when the gateway is
        started, and at nothing else.
        """
}
