import CastWire

/// The members that make a route, as far as they were read.
struct RouteDraft {
    private var device: String?
    private var direction: MessageDirection?
    private var connection: Int?
    private var sender: String?
    private var session: String?
    private var app: String?
    private var source: String?
    private var destination: String?
    private var namespace: String?

    init() {}

    /// Everything of a route; what follows may say it anew.
    init(_ route: PluginRoute) {
        self.device = route.device
        self.direction = route.direction
        self.connection = route.connection
        self.sender = route.sender
        self.session = route.session
        self.app = route.app
        self.source = route.source.rawValue
        self.destination = route.destination.rawValue
        self.namespace = route.namespace.rawValue
    }

    /// Reads a member's value, if it is one of a route's.
    /// - Returns: false when it is not, and nothing was read.
    mutating func take(
        _ name: JSONScanner.Name, _ reader: inout SpanReader, _ bytes: Span<UInt8>
    ) throws(SpanReader.Fault) -> Bool {
        switch name.length {
        case 3 where name.matches("app", bytes): self.app = try reader.string("app", bytes)
        case 6 where name.matches("device", bytes): self.device = try reader.string("device", bytes)
        case 6 where name.matches("sender", bytes): self.sender = try reader.string("sender", bytes)
        case 6 where name.matches("source", bytes): self.source = try reader.string("source", bytes)
        case 7 where name.matches("session", bytes): self.session = try reader.string("session", bytes)
        case 9 where name.matches("direction", bytes): self.direction = try Self.direction(&reader, bytes)
        case 9 where name.matches("namespace", bytes): self.namespace = try reader.string("namespace", bytes)
        case 10 where name.matches("connection", bytes): self.connection = try reader.int("connection", bytes)
        case 11 where name.matches("destination", bytes):
            self.destination = try reader.string("destination", bytes)
        default: return false
        }
        return true
    }

    private static func direction(
        _ reader: inout SpanReader, _ bytes: Span<UInt8>
    ) throws(SpanReader.Fault) -> MessageDirection? {
        guard let text = try reader.string("direction", bytes) else { return nil }
        guard let direction = MessageDirection(rawValue: text) else {
            throw reader.fault("message.direction", "'\(text)' is neither to_receiver nor to_sender")
        }
        return direction
    }

    /// The route.
    /// - Throws: a fault that names what is missing.
    func finish(_ reader: SpanReader) throws(SpanReader.Fault) -> PluginRoute {
        guard let device else { throw reader.fault("message.device", "is missing") }
        guard let direction else { throw reader.fault("message.direction", "is missing") }
        guard let source else { throw reader.fault("message.source", "is missing") }
        guard let destination else { throw reader.fault("message.destination", "is missing") }
        guard let namespace else { throw reader.fault("message.namespace", "is missing") }
        return PluginRoute(
            device: device, direction: direction, connection: self.connection, sender: self.sender,
            session: self.session, app: self.app, source: EndpointID(rawValue: source),
            destination: EndpointID(rawValue: destination), namespace: Namespace(rawValue: namespace))
    }
}
