package import GatewayCore
package import GatewayMetrics

/// Counts of the messages that a plugin was to be asked about, by outcome.
package struct PluginCallCounts: Hashable, Sendable {
    package enum Result: String, Sendable, Hashable, CaseIterable {
        case ok
        /// It answered with an error, or its process was lost.
        case error
        case timeout
        /// It gave a verdict that makes no sense.
        case invalid
        /// It was not asked, since too many messages waited for it.
        case overloaded
        /// The sender went away meanwhile.
        case abandoned
    }

    package struct Key: Sendable, Hashable {
        package let phase: RoutingPhase
        package let result: Result
    }

    package private(set) var results: [Key: Int] = [:]
    /// The time the plugin took to decide.
    package private(set) var durations: [RoutingPhase: HistogramCounts] = [:]

    package init() {}

    /// Counts a message.
    /// - Parameter nanoseconds: from when the plugin was asked to its decision; nil when there was none.
    mutating func count(_ phase: RoutingPhase, _ result: Result, after nanoseconds: Int64? = nil) {
        self.results[Key(phase: phase, result: result), default: 0] += 1
        if let nanoseconds { self.durations[phase, default: HistogramCounts()].observe(nanoseconds: nanoseconds) }
    }

    static func += (left: inout PluginCallCounts, right: PluginCallCounts) {
        left.results.merge(right.results, uniquingKeysWith: +)
        left.durations.merge(right.durations, uniquingKeysWith: +)
    }
}
