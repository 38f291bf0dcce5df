import CoreMetrics
import Synchronization

/// A series that instruments write to and scrapes read. Writing takes no lock.
protocol MetricInstrument: AnyObject, Sendable {
    /// What a scrape finds.
    var value: MetricValue { get }
}

/// Counts upwards.
final class CounterInstrument: MetricInstrument, CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: MetricValue { .number(Double(self.count.load(ordering: .relaxed))) }

    /// A counter never goes back: an amount below zero is left out.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        self.count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        self.count.store(0, ordering: .relaxed)
    }
}

/// Holds a level.
final class GaugeInstrument: MetricInstrument, RecorderHandler, MeterHandler {
    private let bits = Atomic<UInt64>(0)

    var value: MetricValue { .number(Double(bitPattern: self.bits.load(ordering: .relaxed))) }

    func record(_ value: Int64) { self.set(Double(value)) }

    func record(_ value: Double) { self.set(value) }

    func set(_ value: Int64) { self.set(Double(value)) }

    func set(_ value: Double) {
        self.bits.store(value.bitPattern, ordering: .relaxed)
    }

    func increment(by amount: Double) {
        var old = self.bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isExchanged, found) = self.bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if isExchanged { return }
            old = found
        }
    }

    func decrement(by amount: Double) { self.increment(by: -amount) }
}

/// Counts observations by their size.
final class HistogramInstrument: MetricInstrument, RecorderHandler, TimerHandler {
    private final class Cell: Sendable {
        let count = Atomic<Int>(0)
    }

    private let buckets = HistogramCounts().buckets.map { _ in Cell() }
    private let nanoseconds = Atomic<Int64>(0)

    var value: MetricValue {
        .histogram(
            HistogramCounts(
                buckets: self.buckets.map { $0.count.load(ordering: .relaxed) },
                nanoseconds: self.nanoseconds.load(ordering: .relaxed)))
    }

    func recordNanoseconds(_ duration: Int64) {
        self.buckets[HistogramCounts.bucket(of: duration)].count.wrappingAdd(1, ordering: .relaxed)
        self.nanoseconds.wrappingAdd(max(0, duration), ordering: .relaxed)
    }

    /// Takes whole seconds.
    func record(_ value: Int64) { self.record(Double(value)) }

    /// Takes seconds; what is no number is left out.
    func record(_ value: Double) {
        guard !value.isNaN else { return }
        self.recordNanoseconds(Int64(clamping: Int128(max(-1, min(value, 1e9)) * 1e9)))
    }
}
