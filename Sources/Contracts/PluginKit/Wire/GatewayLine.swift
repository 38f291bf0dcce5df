import CastWire
public import NIOCore

/// One line that the gateway says to a plugin.
public enum GatewayLine: Hashable, Sendable {
    /// `initialize`: the first line.
    case initialize(PluginRequestID, InitializeRequest)
    /// Work begins.
    case start(PluginRequestID, PluginSnapshot)
    /// A message to decide about.
    case message(PluginRequestID, MessageRequest)
    /// Something happened.
    case event(PluginEvent)
    /// A verdict is not waited for any more.
    case cancel(CancelNotice)
    /// An operation that a caller wants done.
    case operation(PluginRequestID, OperationCall)
    /// The outcome of an operation is not awaited any more.
    case abort(OperationAbort)
    /// `health`.
    case health(PluginRequestID)
    /// A new configuration.
    case reload(PluginRequestID, ReloadRequest)
    /// No message follows.
    case drain(PluginRequestID, DrainRequest)
    /// `shutdown`: the process is to end.
    case shutdown(PluginRequestID)
    /// It is to be so many milliseconds since 1970, under a test. The plugin goes as far as its next timer, and
    /// answers with the time (`{"now":…}`) when nothing more happens by itself; before the time that was asked for, it
    /// is asked again.
    case advanceClock(PluginRequestID, to: Int)
    /// The answer to something that the plugin asked.
    case response(RPCResponse)
    /// A request that this version does not know; it wants to be refused with ``PluginErrorCode/methodNotFound``.
    case unknownRequest(PluginRequestID, method: String)
    /// A notification that this version does not know; it is ignored.
    case unknownNotification(method: String)

    /// Reads a line, without its newline.
    /// - Throws: ``PluginLineFault``, with the id when the line has one.
    public init(reading line: ByteBuffer) throws(PluginLineFault) {
        var recall = RouteRecall()
        try self.init(reading: line, recalling: &recall)
    }

    /// Reads a line as ``init(reading:)`` does; messages that come from and go to where the last one did are read more
    /// quickly.
    package init(reading line: ByteBuffer, recalling recall: inout RouteRecall) throws(PluginLineFault) {
        let envelope = try RPCEnvelope(line, recalling: &recall)
        switch envelope.kind {
        case .result(let id): self = .response(try RPCResponse(envelope, id, isFailure: false))
        case .failure(let id): self = .response(try RPCResponse(envelope, id, isFailure: true))
        case .request(let id, let method): self = try Self.request(id, method, envelope)
        case .notification(let method): self = try Self.notification(method, envelope, recalling: &recall)
        }
    }

    private static func request(
        _ id: PluginRequestID, _ name: String, _ envelope: RPCEnvelope
    ) throws(PluginLineFault) -> GatewayLine {
        do throws(SpanReader.Fault) {
            switch PluginMethod(rawValue: name) {
            case .message:
                if case .message(let request)? = envelope.found { return .message(id, request) }
                return .message(id, try MessageRequest(envelope.content, of: envelope.line))
            case .initialize: return .initialize(id, try envelope.parameters())
            case .start: return .start(id, try envelope.parameters(of: "snapshot"))
            case .operationCall: return .operation(id, try envelope.parameters())
            case .health: return .health(id)
            case .reload: return .reload(id, try envelope.parameters())
            case .drain: return .drain(id, try envelope.parameters())
            case .shutdown: return .shutdown(id)
            case .clockAdvance: return .advanceClock(id, to: try envelope.parameters(ClockReading.self).now)
            default: return .unknownRequest(id, method: name)
            }
        } catch {
            throw PluginLineFault(.invalidParameters, id: id, error.description)
        }
    }

    private static func notification(
        _ name: String, _ envelope: RPCEnvelope, recalling recall: inout RouteRecall
    ) throws(PluginLineFault) -> GatewayLine {
        do throws(SpanReader.Fault) {
            switch PluginMethod(rawValue: name) {
            case .event: return .event(try PluginEvent(envelope.content, of: envelope.line, recalling: &recall))
            case .cancel: return .cancel(try envelope.parameters())
            case .requestAbort: return .abort(try envelope.parameters())
            default: return .unknownNotification(method: name)
            }
        } catch {
            throw PluginLineFault(.invalidParameters, error.description)
        }
    }

    /// Appends the line with its newline.
    public func write(to buffer: inout ByteBuffer) {
        switch self {
        case .initialize(let id, let request): RPCWriter.request(id, .initialize, request.json, to: &buffer)
        case .start(let id, let snapshot):
            RPCWriter.request(id, .start, ["snapshot": .object(snapshot.json)], to: &buffer)
        case .message(let id, let request): request.write(id: id, to: &buffer)
        case .event(let event): event.write(to: &buffer)
        case .cancel(let notice): RPCWriter.notification(.cancel, notice.json, to: &buffer)
        case .operation(let id, let call): RPCWriter.request(id, .operationCall, call.json, to: &buffer)
        case .abort(let abort): RPCWriter.notification(.requestAbort, abort.json, to: &buffer)
        case .health(let id): RPCWriter.request(id, .health, to: &buffer)
        case .reload(let id, let request): RPCWriter.request(id, .reload, request.json, to: &buffer)
        case .drain(let id, let request): RPCWriter.request(id, .drain, request.json, to: &buffer)
        case .shutdown(let id): RPCWriter.request(id, .shutdown, to: &buffer)
        case .advanceClock(let id, let now):
            RPCWriter.request(id, .clockAdvance, ClockReading(now: now).json, to: &buffer)
        case .response(let response): response.write(to: &buffer)
        case .unknownRequest(let id, let method): RPCWriter.unknown(id, method, to: &buffer)
        case .unknownNotification(let method): RPCWriter.unknown(nil, method, to: &buffer)
        }
    }
}
