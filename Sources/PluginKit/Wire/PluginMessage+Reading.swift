import CastWire
import NIOCore

extension PluginMessage {
    /// Reads a message where the reader stands.
    init(
        _ reader: inout SpanReader, _ bytes: Span<UInt8>, of line: ByteBuffer, recalling recall: inout RouteRecall
    ) throws(SpanReader.Fault) {
        var id: String?
        var payload: CastMessage.Payload?
        var summary = PayloadSummary()
        var draft: RouteDraft?
        /// The route as the last message had it, as long as nothing else is said.
        var known: PluginRoute?
        /// Where the members of the route begin, and where they end.
        var routeStart: Int?
        var routeEnd: Int?
        var isFirst = true
        try reader.enter(bytes)
        while true {
            if !isFirst, draft == nil, known == nil, let route = recall.route(at: reader.scanner.offset, bytes) {
                known = route
                reader.scanner.offset += recall.bytes.count
            }
            let start = reader.scanner.offset
            guard let name = try reader.nextName(bytes, isFirst: &isFirst) else { break }
            switch name.length {
            case 2 where name.matches("id", bytes):
                if routeEnd == nil { routeStart = nil }
                id = try reader.string("id", bytes)
            case 4 where name.matches("type", bytes):
                if routeEnd == nil { routeStart = nil }
                summary.type = try reader.string("type", bytes)
            case 7 where name.matches("payload", bytes):
                routeEnd = routeEnd ?? start
                payload = try reader.payload(bytes, of: line) ?? payload
            case 9 where name.matches("requestId", bytes):
                if routeEnd == nil { routeStart = nil }
                summary.requestID = try reader.requestID("requestId", bytes)
            case 10 where name.matches("payloadB64", bytes):
                routeEnd = routeEnd ?? start
                payload = try reader.binaryPayload(bytes) ?? payload
            default:
                var changed = draft ?? known.map { RouteDraft($0) } ?? RouteDraft()
                if try changed.take(name, &reader, bytes) {
                    if draft == nil, known == nil { routeStart = start }
                    // What stands behind the payload is not recalled.
                    if routeEnd != nil { routeStart = nil }
                    draft = changed
                } else {
                    try reader.skip(bytes)
                    if routeEnd == nil { routeStart = nil }
                }
            }
        }
        guard let id else { throw reader.fault("message.id", "is missing") }
        let route: PluginRoute
        if draft == nil, let known {
            route = known
        } else {
            route = try (draft ?? RouteDraft()).finish(reader)
            if known == nil, let routeStart, let routeEnd { recall.learn(routeStart..<routeEnd, bytes, route) }
        }
        guard let payload else { throw reader.fault("message.payload", "is missing") }
        self.init(id: id, route: route, payload: payload, summary: summary)
    }
}
