/// What one metric is: its name, type, unit, meaning and labels. The scrape, the reference and the tests follow from it.
public struct MetricDeclaration: Sendable, Hashable {
    /// The type, as Prometheus names it.
    public enum Kind: String, Sendable, Hashable {
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
    public struct Label: Sendable, Hashable {
        /// `a-z` and `_`.
        public let name: String
        /// What its values are, for people.
        public let meaning: String

        /// Declares a label.
        public init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// The label that series get with `metrics.per_device`.
    public static let deviceLabel = Label("device", "The virtual device; only with `metrics.per_device: true`")

    /// The name as Prometheus keeps it: counters end in `_total`, what has a unit in that.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The base unit: `seconds` or `bytes`; nil for a mere number.
    public let unit: String?
    /// One sentence without a full stop.
    public let help: String
    /// The labels, in the order in which they are written.
    public let labels: [Label]
    /// Whether the series are told apart by virtual device when `metrics.per_device` asks for it.
    public let isPerDevice: Bool

    /// Declares a metric. The unit follows from the name.
    public init(
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
    public var family: String { Self.family(of: self.name, self.kind) }

    private static func family(of name: String, _ kind: Kind) -> String {
        switch kind {
        case .counter where name.hasSuffix("_total"): String(name.dropLast("_total".count))
        case .info where name.hasSuffix("_info"): String(name.dropLast("_info".count))
        case .counter, .info, .gauge, .histogram: name
        }
    }
}
