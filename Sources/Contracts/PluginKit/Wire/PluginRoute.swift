public import CastWire
import Glibc

/// Where a message comes from and goes to. Never changes, and messages that follow each other mostly share one.
public final class PluginRoute: Sendable {
    /// The virtual device that it passes, by its name in `gateway.yaml`; on the leg ``MessageLeg/own`` the real one.
    public let device: String
    /// Whose connection to the app it passes.
    public let leg: MessageLeg
    /// Which way it travels.
    public let direction: MessageDirection
    /// The number of the sender's channel; nil for what the device says by itself.
    public let connection: Int?
    /// The sender's address without the port; nil for what the device says.
    public let sender: String?
    /// The id of the session with the app, if the message goes to or comes from one.
    public let session: String?
    /// That app's id.
    public let app: String?
    /// The sending end.
    public let source: EndpointID
    /// The receiving end, or `*`.
    public let destination: EndpointID
    /// The namespace.
    public let namespace: Namespace

    /// Puts a route together.
    public init(
        device: String, leg: MessageLeg = .sender, direction: MessageDirection = .toReceiver,
        connection: Int? = nil, sender: String? = nil, session: String? = nil, app: String? = nil,
        source: EndpointID, destination: EndpointID, namespace: Namespace
    ) {
        self.device = device
        self.leg = leg
        self.direction = direction
        self.connection = connection
        self.sender = sender
        self.session = session
        self.app = app
        self.source = source
        self.destination = destination
        self.namespace = namespace
    }

    /// True when both are of one flow: the same ends on the same channel.
    func isSameFlow(as other: PluginRoute) -> Bool {
        self === other
            || self.connection == other.connection && self.source == other.source
                && self.destination == other.destination
    }
}

extension PluginRoute: Hashable {
    /// True when everything is equal.
    public static func == (left: PluginRoute, right: PluginRoute) -> Bool {
        left === right
            || left.isSameFlow(as: right) && left.device == right.device && left.direction == right.direction
                && left.leg == right.leg && left.sender == right.sender && left.session == right.session
                && left.app == right.app
                && left.namespace == right.namespace
    }

    /// Hashes what mostly differs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.connection)
        hasher.combine(self.source)
        hasher.combine(self.destination)
        hasher.combine(self.namespace)
    }
}

/// The members that make a route, as far as they were read.
struct RouteDraft {
    private var device: String?
    private var leg: MessageLeg?
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
        self.leg = route.leg
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
        case 3 where name.matches("leg", bytes): self.leg = try Self.leg(&reader, bytes)
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

    private static func leg(
        _ reader: inout SpanReader, _ bytes: Span<UInt8>
    ) throws(SpanReader.Fault) -> MessageLeg? {
        guard let text = try reader.string("leg", bytes) else { return nil }
        guard let leg = MessageLeg(rawValue: text) else {
            throw reader.fault("message.leg", "'\(text)' is neither sender nor own")
        }
        return leg
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
            device: device, leg: self.leg ?? .sender, direction: direction, connection: self.connection,
            sender: self.sender, session: self.session, app: self.app, source: EndpointID(rawValue: source),
            destination: EndpointID(rawValue: destination), namespace: Namespace(rawValue: namespace))
    }
}

/// The route of the last message. Messages in a row mostly have the same: what does is
/// compared instead of read, which spares half of the reading.
package struct RouteRecall {
    /// Starts without any.
    package init() {}

    /// The members between a message's id and its payload, from the comma before them to the last quote.
    ///
    /// They begin with a comma and end with a string, so whatever stands before and behind them, they mean the same.
    private(set) var bytes: [UInt8] = []
    /// What they say.
    private(set) var route: PluginRoute?

    /// Longer ones are not kept.
    private static let maximumLength = 2_048

    /// The route, when the same members stand here.
    func route(at offset: Int, _ bytes: Span<UInt8>) -> PluginRoute? {
        let end = offset + self.bytes.count
        guard let route, end <= bytes.count else { return nil }
        let isSame = bytes.extracting(offset..<end).withUnsafeBytes { here in
            self.bytes.withUnsafeBytes { known in
                here.baseAddress.map { here in
                    known.baseAddress.map { memcmp(here, $0, known.count) == 0 } ?? false
                } ?? false
            }
        }
        return isSame ? route : nil
    }

    /// Keeps what was read from these members.
    mutating func learn(_ range: Range<Int>, _ bytes: Span<UInt8>, _ route: PluginRoute) {
        guard (2...Self.maximumLength).contains(range.count), bytes[range.lowerBound] == UInt8(ascii: ","),
            bytes[range.upperBound - 1] == UInt8(ascii: "\"")
        else {
            self.route = nil
            return
        }
        self.bytes.removeAll(keepingCapacity: true)
        bytes.extracting(range).withUnsafeBytes { self.bytes.append(contentsOf: $0) }
        self.route = route
    }
}
