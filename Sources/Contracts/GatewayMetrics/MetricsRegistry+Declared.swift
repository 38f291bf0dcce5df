package import CoreMetrics

/// Instruments of metrics that are declared.
extension MetricsRegistry {
    /// The counter of a declared metric.
    /// - Parameter labels: one value for each label, in the order of the declaration.
    package func counter(_ declaration: MetricDeclaration, _ labels: String...) -> Counter {
        Counter(label: declaration.name, dimensions: Self.dimensions(declaration, labels), factory: self)
    }

    /// The gauge of a declared metric.
    package func meter(_ declaration: MetricDeclaration, _ labels: String...) -> Meter {
        Meter(label: declaration.name, dimensions: Self.dimensions(declaration, labels), factory: self)
    }

    /// The histogram of a declared metric.
    package func timer(_ declaration: MetricDeclaration, _ labels: String...) -> Timer {
        Timer(label: declaration.name, dimensions: Self.dimensions(declaration, labels), factory: self)
    }

    private static func dimensions(_ declaration: MetricDeclaration, _ labels: [String]) -> [(String, String)] {
        Array(zip(declaration.labels.map(\.name), labels))
    }
}
