/// What one round measured.
struct Round: Sendable {
    /// How long each message took, in nanoseconds, shortest first.
    let latencies: [Int64]
    /// How long all of them took, in nanoseconds.
    let elapsed: Int64

    init(latencies: [Int64], elapsed: Int64) {
        self.latencies = latencies.sorted()
        self.elapsed = elapsed
    }

    /// The latency that this part of the messages keeps to, in microseconds.
    func percentile(_ part: Double) -> Double {
        guard let last = self.latencies.indices.last else { return 0 }
        return Double(self.latencies[min(last, Int(Double(self.latencies.count) * part))]) / 1000
    }

    var perSecond: Double { Double(self.latencies.count) / Double(max(self.elapsed, 1)) * 1e9 }
}
