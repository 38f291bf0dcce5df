public import NIOCore

/// One line that a plugin says to the gateway.
public enum PluginLine: Hashable, Sendable {
    /// The answer to something that the gateway asked.
    case response(RPCResponse)
    /// A request.
    case call(PluginRequestID, PluginCall)
    /// The verdict on a message that was deferred.
    case complete(MessageCompletion)
    /// A line for the log.
    case log(PluginLogRecord)
    /// The plugin feels otherwise.
    case healthChanged(PluginHealth)
    /// A request that this version does not know; it wants to be refused with ``PluginErrorCode/methodNotFound``.
    case unknownRequest(PluginRequestID, method: String)
    /// A notification that this version does not know; it is ignored.
    case unknownNotification(method: String)

    /// Reads a line, without its newline.
    /// - Throws: ``PluginLineFault``, with the id when the line has one.
    public init(reading line: ByteBuffer) throws(PluginLineFault) {
        var recall = RouteRecall()
        let envelope = try RPCEnvelope(line, recalling: &recall)
        switch envelope.kind {
        case .result(let id): self = .response(try RPCResponse(envelope, id, isFailure: false))
        case .failure(let id): self = .response(try RPCResponse(envelope, id, isFailure: true))
        case .request(let id, let method): self = try Self.request(id, method, envelope)
        case .notification(let method): self = try Self.notification(method, envelope)
        }
    }

    private static func request(
        _ id: PluginRequestID, _ name: String, _ envelope: RPCEnvelope
    ) throws(PluginLineFault) -> PluginLine {
        guard let method = PluginMethod(rawValue: name) else { return .unknownRequest(id, method: name) }
        let reader = ObjectReader(try envelope.object(.invalidParameters, id: id), at: "params")
        do throws(PluginWireError) {
            guard let call = try PluginCall(method, reader) else { return .unknownRequest(id, method: name) }
            return .call(id, call)
        } catch {
            throw PluginLineFault(.invalidParameters, id: id, error.description)
        }
    }

    private static func notification(
        _ name: String, _ envelope: RPCEnvelope
    ) throws(PluginLineFault) -> PluginLine {
        do throws(SpanReader.Fault) {
            switch PluginMethod(rawValue: name) {
            case .messageComplete: return .complete(try MessageCompletion(envelope.content, of: envelope.line))
            case .log: return .log(try envelope.parameters())
            case .healthChanged: return .healthChanged(try envelope.parameters())
            default: return .unknownNotification(method: name)
            }
        } catch {
            throw PluginLineFault(.invalidParameters, error.description)
        }
    }

    /// Appends the line with its newline.
    public func write(to buffer: inout ByteBuffer) {
        switch self {
        case .response(let response): response.write(to: &buffer)
        case .call(let id, let call): RPCWriter.request(id, call.method, call.parameters, to: &buffer)
        case .complete(let completion): completion.write(to: &buffer)
        case .log(let record): RPCWriter.notification(.log, record.json, to: &buffer)
        case .healthChanged(let health): RPCWriter.notification(.healthChanged, health.json, to: &buffer)
        case .unknownRequest(let id, let method): RPCWriter.unknown(id, method, to: &buffer)
        case .unknownNotification(let method): RPCWriter.unknown(nil, method, to: &buffer)
        }
    }
}
