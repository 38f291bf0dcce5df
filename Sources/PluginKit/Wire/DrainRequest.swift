package import CastWire

/// No message follows.
public struct DrainRequest: Hashable, Sendable {
    /// How long there is to end what is being done.
    public var deadline: Duration

    /// Makes a request.
    public init(deadline: Duration) {
        self.deadline = deadline
    }
}

extension DrainRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(deadline: try reader.optionalMilliseconds("deadlineMs") ?? .seconds(5))
    }

    package var json: JSONObject { ["deadlineMs": .number(self.deadline.wireMilliseconds)] }
}
