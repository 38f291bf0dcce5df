public import GatewayCore
public import GatewayMetrics

/// What became of the messages that a plugin was to be asked about.
public struct PluginCallCounts: Hashable, Sendable {
    /// What became of one message.
    public enum Result: String, Sendable, Hashable, CaseIterable {
        /// The plugin decided.
        case ok
        /// It answered with an error, or its process was lost.
        case error
        /// It did not decide in time.
        case timeout
        /// It gave a verdict that makes no sense.
        case invalid
        /// It was not asked, since too many messages waited for it.
        case overloaded
        /// The sender went away meanwhile.
        case abandoned
    }

    /// A phase and a result.
    public struct Key: Sendable, Hashable {
        /// The phase in which the plugin was asked.
        public let phase: RoutingPhase
        /// What became of it.
        public let result: Result
    }

    /// How many messages there were.
    public private(set) var results: [Key: Int] = [:]
    /// How long the plugin took to decide.
    public private(set) var durations: [RoutingPhase: HistogramCounts] = [:]

    /// Nothing yet.
    public init() {}

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
