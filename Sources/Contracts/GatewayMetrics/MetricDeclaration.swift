/// What one metric is: its name, type, unit, meaning and labels. The scrape, the reference and the tests follow from it.
package struct MetricDeclaration: Sendable, Hashable {
    /// The type, as Prometheus names it.
    package enum Kind: String, Sendable, Hashable {
        /// Only ever grows while the gateway runs.
        case counter
        /// Goes up and down.
        case gauge
        /// How many observations lie below each bound, their count and their sum.
        case histogram
        /// Facts as labels; the value is always 1.
        case info
    }

    /// One label of a metric.
    package struct Label: Sendable, Hashable {
        /// `a-z` and `_`.
        package let name: String
        /// What its values are, for people.
        package let meaning: String

        /// Declares a label.
        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// The label that series get with `metrics.per_device`.
    package static let deviceLabel = Label("device", "The virtual device; only with `metrics.per_device: true`")

    /// The name as Prometheus keeps it: counters end in `_total`, what has a unit in that.
    package let name: String
    /// The type.
    package let kind: Kind
    /// The base unit: `seconds` or `bytes`; nil for a mere number.
    package let unit: String?
    /// One sentence without a full stop.
    package let help: String
    /// The labels, in the order in which they are written.
    package let labels: [Label]
    /// Whether the series are told apart by virtual device when `metrics.per_device` asks for it.
    package let isPerDevice: Bool

    /// Declares a metric. The unit follows from the name.
    package init(
        _ name: String, _ kind: Kind, _ help: String, labels: [Label] = [], isPerDevice: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.isPerDevice = isPerDevice
        self.labels = labels + (isPerDevice ? [Self.deviceLabel] : [])
        let family = Self.family(of: name, kind)
        self.unit = ["seconds", "bytes"].first { family.hasSuffix("_" + $0) }
    }

    /// The name without what the type adds to it, as OpenMetrics calls the family.
    package var family: String { Self.family(of: self.name, self.kind) }

    private static func family(of name: String, _ kind: Kind) -> String {
        switch kind {
        case .counter where name.hasSuffix("_total"): String(name.dropLast("_total".count))
        case .info where name.hasSuffix("_info"): String(name.dropLast("_info".count))
        case .counter, .info, .gauge, .histogram: name
        }
    }
}
