public import CastWire
public import NIOCore

/// One line that a plugin says to the gateway.
public enum PluginLine: Hashable, Sendable {
    /// The answer to something that the gateway asked.
    case response(RPCResponse)
    /// A request.
    case call(PluginRequestID, PluginCall)
    /// The verdict on a message that was deferred.
    case complete(MessageCompletion)
    /// How far an operation is.
    case progress(OperationProgress)
    /// What came of an operation that was pending.
    case operationDone(OperationCompletion)
    /// Why an operation that was pending was not done.
    case operationFailed(OperationFailureNotice)
    /// A line for the log.
    case log(PluginLogRecord)
    /// The plugin's health changed.
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
            case .requestProgress: return .progress(try envelope.parameters())
            case .requestComplete: return .operationDone(try envelope.parameters())
            case .requestFail: return .operationFailed(try envelope.parameters())
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
        case .progress(let progress): RPCWriter.notification(.requestProgress, progress.json, to: &buffer)
        case .operationDone(let completion): RPCWriter.notification(.requestComplete, completion.json, to: &buffer)
        case .operationFailed(let failure): RPCWriter.notification(.requestFail, failure.json, to: &buffer)
        case .log(let record): RPCWriter.notification(.log, record.json, to: &buffer)
        case .healthChanged(let health): RPCWriter.notification(.healthChanged, health.json, to: &buffer)
        case .unknownRequest(let id, let method): RPCWriter.unknown(id, method, to: &buffer)
        case .unknownNotification(let method): RPCWriter.unknown(nil, method, to: &buffer)
        }
    }
}

/// Why a line is no message of the protocol. Nothing but the line is lost by it.
public struct PluginLineFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// How far the line is from being one.
    public enum Kind: Hashable, Sendable {
        /// No JSON object with a `jsonrpc` member: text that was printed where it does not belong.
        case stray
        /// Meant as a message, but neither request, notification nor response.
        case invalidRequest
        /// A request or notification whose parameters are not what its method takes.
        case invalidParameters
        /// A response whose result is not what its request asks for.
        case invalidResult
    }

    /// How far the line is from being a message.
    public let kind: Kind
    /// The id that the line carries. A request wants to be answered with ``error``; a response finds its request by it.
    public let id: PluginRequestID?
    /// What is wrong, for people.
    public let reason: String

    init(_ kind: Kind, id: PluginRequestID? = nil, _ reason: String) {
        self.kind = kind
        self.id = id
        self.reason = reason
    }

    /// The error that answers the line, if it was a request.
    public var error: PluginRPCError {
        switch self.kind {
        case .stray: PluginRPCError(.parseError, self.reason)
        case .invalidRequest, .invalidResult: PluginRPCError(.invalidRequest, self.reason)
        case .invalidParameters: PluginRPCError(.invalidParameters, self.reason)
        }
    }

    /// What is wrong.
    public var description: String { self.reason }
}

/// A line for the gateway's log.
public struct PluginLogRecord: Hashable, Sendable {
    /// How much it matters.
    public var level: Effect.LogLevel
    /// The text.
    public var message: String
    /// Names and values beside it.
    public var fields: JSONObject

    /// Writes a line.
    public init(_ level: Effect.LogLevel, _ message: String, fields: JSONObject = [:]) {
        self.level = level
        self.message = message
        self.fields = fields
    }
}

extension PluginLogRecord: WireRecord {
    package static let blank = Self(.info, "")

    package static let members: [Member] = [
        Member("level", \.level), .required("message", \.message), .unlessDefault("fields", \.fields),
    ]
}
