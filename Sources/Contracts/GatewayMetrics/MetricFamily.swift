/// The series of one metric at the moment of a scrape.
package struct MetricFamily: Sendable {
    package let declaration: MetricDeclaration
    /// Its series.
    package private(set) var samples: [MetricSample]

    /// Collects series.
    package init(_ declaration: MetricDeclaration, _ samples: [MetricSample] = []) {
        self.declaration = declaration
        self.samples = samples
    }

    /// A metric without labels.
    package init(_ declaration: MetricDeclaration, _ value: Double) {
        self.init(declaration, [MetricSample([], .number(value))])
    }

    /// Adds a series.
    /// - Parameter labels: one value for each label of the declaration, in its order; values that are missing at the end leave
    ///   their labels out.
    package mutating func add(_ labels: [String], _ value: Double) {
        self.add(labels, .number(value))
    }

    /// Adds a series, or another kind of value.
    package mutating func add(_ labels: [String], _ value: MetricValue) {
        self.samples.append(
            MetricSample(zip(self.declaration.labels, labels).map { MetricLabelValue($0.name, $1) }, value))
    }

    /// Brings families of one name together, and series of the same labels: two of those would make Prometheus refuse the
    /// whole scrape. Counts are added, of other values the last stays.
    /// - Returns: the families by name, those without series left out.
    static func merged(_ families: [MetricFamily]) -> [MetricFamily] {
        var merged: [String: MetricFamily] = [:]
        var places: [String: [[MetricLabelValue]: Int]] = [:]
        for family in families {
            let name = family.declaration.name
            var whole = merged[name] ?? MetricFamily(family.declaration)
            for sample in family.samples {
                if let place = places[name]?[sample.labels] {
                    whole.samples[place].take(sample.value, adding: family.declaration.kind == .counter)
                } else {
                    places[name, default: [:]][sample.labels] = whole.samples.count
                    whole.samples.append(sample)
                }
            }
            merged[name] = whole
        }
        return merged.values.filter { !$0.samples.isEmpty }.sorted { $0.declaration.name < $1.declaration.name }
    }
}

/// One series at the moment of a scrape.
package struct MetricSample: Sendable, Hashable {
    /// What tells it from the others of its metric.
    package let labels: [MetricLabelValue]
    package private(set) var value: MetricValue

    /// Makes a sample.
    package init(_ labels: [MetricLabelValue], _ value: MetricValue) {
        self.labels = labels
        self.value = value
    }

    fileprivate mutating func take(_ other: MetricValue, adding: Bool) {
        switch (self.value, other) {
        case (.number(let mine), .number(let other)) where adding: self.value = .number(mine + other)
        case (.histogram(let mine), .histogram(let other)): self.value = .histogram(mine + other)
        case (_, let other): self.value = other
        }
    }
}

/// A label and its value.
package struct MetricLabelValue: Sendable, Hashable {
    /// The label's name.
    package let name: String
    /// Any text.
    package let value: String

    /// Makes a label.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What a series has to say.
package enum MetricValue: Sendable, Hashable {
    /// A count, or a level.
    case number(Double)
    /// How observations are distributed.
    case histogram(HistogramCounts)
}
