/// How observations in seconds are distributed over ``bounds``.
package struct HistogramCounts: Sendable, Hashable {
    /// The upper bounds of the buckets in seconds, each inclusive; a last bucket takes what is longer.
    package static let bounds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
    ]
    /// The same in nanoseconds.
    static let nanosecondBounds = Self.bounds.map { Int64(($0 * 1e9).rounded()) }

    /// How many observations each bucket alone has, the last one above all bounds.
    package private(set) var buckets: [Int]
    /// The sum of all observations in nanoseconds.
    package private(set) var nanoseconds: Int64

    /// Starts with none.
    package init() {
        self.buckets = Array(repeating: 0, count: Self.bounds.count + 1)
        self.nanoseconds = 0
    }

    init(buckets: [Int], nanoseconds: Int64) {
        self.buckets = buckets
        self.nanoseconds = nanoseconds
    }

    /// How many observations there are.
    package var count: Int { self.buckets.reduce(0, +) }

    /// Counts an observation in nanoseconds; one below zero counts as zero.
    package mutating func observe(nanoseconds: Int64) {
        self.buckets[Self.bucket(of: nanoseconds)] += 1
        self.nanoseconds &+= max(0, nanoseconds)
    }

    /// The bucket that an observation falls into.
    static func bucket(of nanoseconds: Int64) -> Int {
        self.nanosecondBounds.firstIndex { nanoseconds <= $0 } ?? self.nanosecondBounds.count
    }

    /// Both together.
    package static func + (left: HistogramCounts, right: HistogramCounts) -> HistogramCounts {
        HistogramCounts(
            buckets: zip(left.buckets, right.buckets).map { $0 + $1 },
            nanoseconds: left.nanoseconds &+ right.nanoseconds)
    }
}
