public import CastWire
public import NIOCore

/// The answer to a request, with the result as it stands in the line: the caller knows its type.
public struct RPCResponse: Hashable, Sendable {
    /// The request's id; nil in an error that answers a line whose id could not be read.
    public let id: PluginRequestID?
    /// The text of the result, or the error.
    public let outcome: Result<ByteBuffer, PluginRPCError>
    /// The verdict, when the result was read as one already.
    private let known: Verdict?

    private init(id: PluginRequestID?, outcome: Result<ByteBuffer, PluginRPCError>, known: Verdict? = nil) {
        self.id = id
        self.outcome = outcome
        self.known = known
    }

    /// An answer with a result.
    public init(_ id: PluginRequestID, result: JSONObject = [:]) {
        var text = ByteBuffer()
        text.writeJSON(result)
        self.init(id: id, outcome: .success(text))
    }

    /// An answer with a result of the protocol's.
    package init(_ id: PluginRequestID, _ value: some WireObject) {
        self.init(id, result: value.json)
    }

    /// A refusal.
    public init(_ id: PluginRequestID?, error: PluginRPCError) {
        self.init(id: id, outcome: .failure(error))
    }

    /// The result as a verdict on a message.
    /// - Throws: ``PluginLineFault`` when it is none, or an error answered.
    public func verdict() throws(PluginLineFault) -> Verdict {
        if let known { return known }
        let text = try self.text()
        var messageID: String?
        do throws(SpanReader.Fault) {
            return try Verdict(0..<text.readableBytes, of: text, messageID: &messageID)
        } catch {
            throw PluginLineFault(.invalidResult, id: self.id, error.description)
        }
    }

    /// The result as an object.
    /// - Throws: ``PluginLineFault`` when it is none, or an error answered.
    public func object() throws(PluginLineFault) -> JSONObject {
        let text = try self.text()
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(text)
        } catch {
            throw PluginLineFault(.invalidResult, id: self.id, "result: \(error)")
        }
        guard let object = value.objectValue else {
            throw PluginLineFault(.invalidResult, id: self.id, "result: should be an object")
        }
        return object
    }

    /// The result of `initialize`.
    public func initializeResult() throws(PluginLineFault) -> InitializeResult { try self.read() }
    /// The result of `health`.
    public func health() throws(PluginLineFault) -> PluginHealth { try self.read() }
    /// The result of `reload`.
    public func reloadOutcome() throws(PluginLineFault) -> ReloadOutcome { try self.read() }
    /// The result of `gateway.send`.
    public func sendResult() throws(PluginLineFault) -> GatewaySendResult { try self.read() }
    /// The result of `gateway.query`.
    public func queryResult() throws(PluginLineFault) -> GatewayQueryResult { try self.read() }
    /// The result of `gateway.call`.
    public func callResult() throws(PluginLineFault) -> GatewayCallResult { try self.read() }
    /// The result of `operation.call`.
    package func operationOutcome() throws(PluginLineFault) -> OperationOutcome { try self.read() }
    /// The result of `kv.get`: the value, or nil when there is none.
    public func value() throws(PluginLineFault) -> JSONValue? { try self.object()["value"] }

    /// The result of `kv.list`.
    public func keys() throws(PluginLineFault) -> [String] {
        let reader = ObjectReader(try self.object(), at: "result")
        do throws(PluginWireError) {
            return try reader.optional("keys") ?? []
        } catch {
            throw PluginLineFault(.invalidResult, id: self.id, error.description)
        }
    }

    private func read<Value: WireObject>() throws(PluginLineFault) -> Value {
        let reader = ObjectReader(try self.object(), at: "result")
        do throws(PluginWireError) {
            return try Value(reader)
        } catch {
            throw PluginLineFault(.invalidResult, id: self.id, error.description)
        }
    }

    private func text() throws(PluginLineFault) -> ByteBuffer {
        switch self.outcome {
        case .success(let text): return text
        case .failure(let error): throw PluginLineFault(.invalidResult, id: self.id, error.description)
        }
    }

    /// True when the id and what was answered are the same.
    public static func == (left: RPCResponse, right: RPCResponse) -> Bool {
        left.id == right.id && left.outcome == right.outcome
    }

    /// Hashes the id and what was answered.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
        hasher.combine(self.outcome)
    }

    /// Appends the answer as a line.
    public func write(to buffer: inout ByteBuffer) {
        switch self.outcome {
        case .success(let text):
            buffer.writeStaticString(#"{"jsonrpc":"2.0","id":"#)
            if let id { RPCWriter.write(id, to: &buffer) } else { buffer.writeStaticString("null") }
            buffer.writeStaticString(#","result":"#)
            buffer.writeImmutableBuffer(text)
            buffer.writeStaticString("}\n")
        case .failure(let error): RPCWriter.error(self.id, error, to: &buffer)
        }
    }

    /// Reads the answer of a line.
    init(_ envelope: RPCEnvelope, _ id: PluginRequestID?, isFailure: Bool) throws(PluginLineFault) {
        guard isFailure else {
            var known: Verdict?
            if case .verdict(let verdict)? = envelope.found { known = verdict }
            self.init(id: id, outcome: .success(envelope.slice ?? ByteBuffer()), known: known)
            return
        }
        let object = try envelope.object(.invalidRequest, id: id)
        do throws(PluginWireError) {
            self.init(id: id, outcome: .failure(try PluginRPCError(ObjectReader(object, at: "error"))))
        } catch {
            throw PluginLineFault(.invalidRequest, id: id, error.description)
        }
    }
}
