package import CastWire

/// How much of what a plugin may have, and how long it may take.
public struct PluginLimits: Hashable, Sendable {
    /// How many messages may be unanswered; more are not sent.
    public var maximumInFlight: Int
    /// The longest line either end may write, in bytes.
    public var maximumLineLength: Int
    /// How long a verdict may take for a filter.
    public var filterDeadline: Duration
    /// How long a verdict may take for a handler.
    public var handleDeadline: Duration
    /// How long a deferred verdict may take at most.
    public var maximumDeadline: Duration

    /// Describes limits.
    public init(
        maximumInFlight: Int = PluginProtocol.defaultMaximumInFlight,
        maximumLineLength: Int = PluginProtocol.maximumLineLength, filterDeadline: Duration = .milliseconds(250),
        handleDeadline: Duration = .seconds(1), maximumDeadline: Duration = .seconds(10)
    ) {
        self.maximumInFlight = maximumInFlight
        self.maximumLineLength = maximumLineLength
        self.filterDeadline = filterDeadline
        self.handleDeadline = handleDeadline
        self.maximumDeadline = maximumDeadline
    }
}

extension PluginLimits: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init()
        if let value = try reader.optionalInt("maxInFlight") { self.maximumInFlight = value }
        if let value = try reader.optionalInt("maxLine") { self.maximumLineLength = value }
        if let value = try reader.optionalMilliseconds("maxDeadlineMs") { self.maximumDeadline = value }
        if let deadlines = try reader.optionalReader("deadlineMs") {
            if let value = try deadlines.optionalMilliseconds("filter") { self.filterDeadline = value }
            if let value = try deadlines.optionalMilliseconds("handle") { self.handleDeadline = value }
        }
        guard self.maximumInFlight > 0 else { throw reader.fault("maxInFlight", "should be above 0") }
        guard self.maximumLineLength > 0 else { throw reader.fault("maxLine", "should be above 0") }
    }

    package var json: JSONObject {
        [
            "maxInFlight": .number(self.maximumInFlight), "maxLine": .number(self.maximumLineLength),
            "deadlineMs": [
                "filter": .number(self.filterDeadline.wireMilliseconds),
                "handle": .number(self.handleDeadline.wireMilliseconds),
            ], "maxDeadlineMs": .number(self.maximumDeadline.wireMilliseconds),
        ]
    }
}
