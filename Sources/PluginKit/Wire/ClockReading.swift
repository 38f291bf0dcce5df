import CastWire

/// What a test says that time it is.
struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970.
    var now: Int
}

extension ClockReading: WireObject {
    init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(now: try reader.int("now"))
        guard PluginInstant.range.contains(self.now) else { throw reader.fault("now", "is no time of this age") }
    }

    var json: JSONObject { ["now": .number(self.now)] }
}
