/// Writes a scrape as text, in the format of Prometheus or as OpenMetrics.
package struct ExpositionWriter: Sendable {
    private let format: ExpositionFormat

    /// Makes a writer.
    package init(_ format: ExpositionFormat) {
        self.format = format
    }

    /// The whole text of a scrape.
    /// - Parameter families: each name once.
    package func text(of families: [MetricFamily]) -> String {
        var text = ""
        for family in families { self.write(family, to: &text) }
        if self.format == .openMetrics { text += "# EOF\n" }
        return text
    }

    private func write(_ family: MetricFamily, to text: inout String) {
        let declaration = family.declaration
        let isOpen = self.format == .openMetrics
        let name = isOpen ? declaration.family : declaration.name
        let kind = declaration.kind == .info && !isOpen ? MetricDeclaration.Kind.gauge : declaration.kind
        text += "# HELP \(name) \(self.escapedHelp(declaration.help))\n"
        text += "# TYPE \(name) \(kind.rawValue)\n"
        if isOpen, let unit = declaration.unit { text += "# UNIT \(name) \(unit)\n" }
        for sample in family.samples.sorted(by: Self.isBefore) {
            switch sample.value {
            case .number(let number):
                self.write(self.sampleName(declaration), sample.labels, Self.text(of: number), to: &text)
            case .histogram(let counts): self.write(counts, declaration.name, sample.labels, to: &text)
            }
        }
    }

    /// The same order at every scrape.
    private static func isBefore(_ one: MetricSample, _ other: MetricSample) -> Bool {
        one.labels.lexicographicallyPrecedes(other.labels) { ($0.name, $0.value) < ($1.name, $1.value) }
    }

    /// What stands before the labels: OpenMetrics wants its endings, whatever the declaration is called.
    private func sampleName(_ declaration: MetricDeclaration) -> String {
        guard self.format == .openMetrics else { return declaration.name }
        switch declaration.kind {
        case .counter: return declaration.family + "_total"
        case .info: return declaration.family + "_info"
        case .gauge, .histogram: return declaration.name
        }
    }

    private func write(
        _ counts: HistogramCounts, _ name: String, _ labels: [MetricLabelValue], to text: inout String
    ) {
        var below = 0
        for (bound, count) in zip(HistogramCounts.bounds.map(Self.bound) + ["+Inf"], counts.buckets) {
            below += count
            self.write(name + "_bucket", labels + [MetricLabelValue("le", bound)], "\(below)", to: &text)
        }
        self.write(name + "_sum", labels, Self.text(of: Double(counts.nanoseconds) / 1e9), to: &text)
        self.write(name + "_count", labels, "\(below)", to: &text)
    }

    private func write(_ name: String, _ labels: [MetricLabelValue], _ value: String, to text: inout String) {
        text += name
        if !labels.isEmpty {
            text += "{"
            for (index, label) in labels.enumerated() {
                if index > 0 { text += "," }
                text += "\(label.name)=\""
                Self.escape(label.value, quotes: true, to: &text)
                text += "\""
            }
            text += "}"
        }
        text += " \(value)\n"
    }

    // MARK: Texts

    /// A bound as OpenMetrics writes it; the same in both formats, so that a series is the same whatever the scraper asks for.
    private static func bound(_ value: Double) -> String { "\(value)" }

    /// A number; whole ones without a point.
    static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value), abs(whole) < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }

    private func escapedHelp(_ help: String) -> String {
        var text = ""
        Self.escape(help, quotes: self.format == .openMetrics, to: &text)
        return text
    }

    /// Escapes backslashes, ends of lines and, where they end the text, quotes. What else a text holds may stand.
    private static func escape(_ value: String, quotes: Bool, to text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
