/// The form of a scrape.
package enum ExpositionFormat: Sendable, Hashable, CaseIterable {
    /// The text format of Prometheus, 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// What the answer's `Content-Type` says.
    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// Chooses by a request's `Accept`: OpenMetrics where it is wanted at least as much as text, Prometheus' own format otherwise,
    /// and for whatever is not understood.
    package init(accept: String?) {
        var best: (format: ExpositionFormat, quality: Double)?
        for range in (accept ?? "").prefix(4096).split(separator: ",").prefix(32) {
            guard let candidate = Self.candidate(range) else { continue }
            if candidate.quality > (best?.quality ?? 0)
                || candidate.quality == best?.quality && candidate.format == .openMetrics
            {
                best = candidate
            }
        }
        self = best?.format ?? .prometheus
    }

    /// One media range; nil for one that neither format is, and for a version that is not written.
    private static func candidate(_ range: Substring) -> (format: ExpositionFormat, quality: Double)? {
        let parts = range.split(separator: ";").map { part in
            part.filter { !$0.isWhitespace && $0 != "\"" }.lowercased()
        }
        guard let type = parts.first else { return nil }
        var quality = 1.0
        var version: String?
        for part in parts.dropFirst() {
            if part.hasPrefix("q=") { quality = Double(part.dropFirst(2)) ?? 0 }
            if part.hasPrefix("version=") { version = String(part.dropFirst("version=".count)) }
        }
        guard quality > 0, quality <= 1 else { return nil }
        switch type {
        case "application/openmetrics-text":
            return version == nil || version == "1.0.0" || version == "0.0.1" ? (.openMetrics, quality) : nil
        case "text/plain", "text/*", "*/*":
            return version == nil || version == "0.0.4" ? (.prometheus, quality) : nil
        default: return nil
        }
    }
}
