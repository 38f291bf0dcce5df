import CastWire
import NIOCore

extension PluginMessage {
    /// Reads a message where the reader stands.
    init(_ reader: inout SpanReader, _ bytes: Span<UInt8>, of line: ByteBuffer) throws(SpanReader.Fault) {
        var id: String?
        var device: String?
        var direction: PluginDirection?
        var connection: Int?
        var sender: String?
        var session: String?
        var app: String?
        var source: String?
        var destination: String?
        var namespace: String?
        var payload: CastMessage.Payload?
        var summary = PayloadSummary()
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("id", bytes) {
                id = try reader.string("id", bytes)
            } else if name.matches("device", bytes) {
                device = try reader.string("device", bytes)
            } else if name.matches("direction", bytes) {
                direction = try Self.direction(&reader, bytes)
            } else if name.matches("connection", bytes) {
                connection = try reader.int("connection", bytes)
            } else if name.matches("sender", bytes) {
                sender = try reader.string("sender", bytes)
            } else if name.matches("session", bytes) {
                session = try reader.string("session", bytes)
            } else if name.matches("app", bytes) {
                app = try reader.string("app", bytes)
            } else if name.matches("source", bytes) {
                source = try reader.string("source", bytes)
            } else if name.matches("destination", bytes) {
                destination = try reader.string("destination", bytes)
            } else if name.matches("namespace", bytes) {
                namespace = try reader.string("namespace", bytes)
            } else if name.matches("payload", bytes) {
                payload = try reader.payload(bytes, of: line) ?? payload
            } else if name.matches("payloadB64", bytes) {
                payload = try reader.binaryPayload(bytes) ?? payload
            } else if name.matches("type", bytes) {
                summary.type = try reader.string("type", bytes)
            } else if name.matches("requestId", bytes) {
                summary.requestID = try reader.requestID("requestId", bytes)
            } else {
                try reader.skip(bytes)
            }
        }
        guard let id else { throw reader.fault("message.id", "is missing") }
        guard let device else { throw reader.fault("message.device", "is missing") }
        guard let direction else { throw reader.fault("message.direction", "is missing") }
        guard let source else { throw reader.fault("message.source", "is missing") }
        guard let destination else { throw reader.fault("message.destination", "is missing") }
        guard let namespace else { throw reader.fault("message.namespace", "is missing") }
        guard let payload else { throw reader.fault("message.payload", "is missing") }
        self.init(
            id: id, device: device, direction: direction, connection: connection, sender: sender, session: session,
            app: app, source: EndpointID(rawValue: source), destination: EndpointID(rawValue: destination),
            namespace: Namespace(rawValue: namespace), payload: payload, summary: summary)
    }

    private static func direction(
        _ reader: inout SpanReader, _ bytes: Span<UInt8>
    ) throws(SpanReader.Fault) -> PluginDirection? {
        guard let text = try reader.string("direction", bytes) else { return nil }
        guard let direction = PluginDirection(rawValue: text) else {
            throw reader.fault("message.direction", "'\(text)' is neither to_receiver nor to_sender")
        }
        return direction
    }
}
