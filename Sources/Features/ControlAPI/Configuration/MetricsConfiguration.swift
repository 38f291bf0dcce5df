package import GatewayConfig

/// `metrics`: what is measured, and where it can be read.
package struct MetricsConfiguration: ConfigSettings, Hashable {
    /// How many connections there may be to the listener; so many descriptors are kept for it.
    package static let maximumConnections = 32

    /// Where metrics are read; nil for the admin listener alone.
    package var listen: ListenAddress?
    /// Whether other machines may read them.
    package var allowsRemote = false
    /// The names under which callers may ask, beside addresses and `localhost`.
    package var hosts: [String] = []
    /// Whether series are told apart by virtual device.
    package var perDevice = false

    /// The keys of `metrics`.
    package static let keys: [Key] = [
        .optional(
            "listen", \.listen, .listenAddress,
            "Where Prometheus reads `/metrics`, and monitors `/livez`, `/readyz`, `/healthz` and `/version`. Without it they are "
                + "on the admin listener alone",
            example: "127.0.0.1:9095"),
        Key(
            "allow_remote", \.allowsRemote, .boolean,
            "Whether `listen` may be an address that other machines reach: there is neither a password nor encryption"),
        Key(
            "hosts", \.hosts, .list(of: .text(allowed: "a-zA-Z0-9.-", length: 1...253)),
            "Names under which callers may ask, beside IP addresses and `localhost`; others are refused, so that no web page "
                + "reads along under a name of its own",
            example: "[gateway.example.com]"),
        Key(
            "per_device", \.perDevice, .boolean,
            "Whether messages, senders and apps are told apart by virtual device, which makes as many series more"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}

    /// Adds an address that other machines reach, unless the operator has said that they may.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard let address = section.optionalListenAddress("listen"), section.isValid("allow_remote"),
            !address.isLoopback, !section.boolean("allow_remote")
        else { return }
        problems.add(
            .inconsistent, at: section.location("listen"),
            "'metrics.listen' \(address) can be reached by other machines, which 'metrics.allow_remote' does not allow",
            hint: "say allow_remote: true when the network may read the metrics, or listen on 127.0.0.1:\(address.port)"
        )
    }
}
