public import CastWire
import NIOCore

/// A line of JSON-RPC 2.0, looked over but not built: what it is, and where its content stands.
struct RPCEnvelope {
    enum Kind {
        case request(PluginRequestID, method: String)
        case notification(method: String)
        case result(PluginRequestID)
        case failure(PluginRequestID?)
    }

    let kind: Kind
    let line: ByteBuffer
    /// Where `params`, `result` or `error` stands; empty when there are no `params`.
    let content: Range<Int>
    /// What was read on the way, without a second look.
    let found: Found?

    /// What passes so often that it is read on the way.
    enum Found {
        case message(MessageRequest)
        case verdict(Verdict)
    }

    private struct Members {
        var version: String?
        var hasID = false
        var id: PluginRequestID?
        var method: String?
        var found: Found?
        var parameters: Range<Int>?
        var result: Range<Int>?
        var error: Range<Int>?
    }

    /// Looks over a line.
    /// - Parameter recall: what the last message said.
    /// - Throws: ``PluginLineFault`` of kind `stray` or `invalidRequest`.
    init(_ line: ByteBuffer, recalling recall: inout RouteRecall) throws(PluginLineFault) {
        let members: Members
        do throws(SpanReader.Fault) {
            members = try Self.members(line.readableBytesUInt8Span, of: line, recalling: &recall)
        } catch {
            throw PluginLineFault(.stray, error.description)
        }
        guard let version = members.version else { throw PluginLineFault(.stray, "no \"jsonrpc\" member") }
        guard version == "2.0" else {
            throw PluginLineFault(.invalidRequest, id: members.id, "jsonrpc should be \"2.0\"")
        }
        if members.hasID, members.id == nil, members.error == nil {
            throw PluginLineFault(.invalidRequest, "id should be a whole number or a string")
        }
        self.line = line
        self.found = members.found
        switch (members.method, members.result, members.error) {
        case (.some(let method), nil, nil):
            self.kind = members.id.map { .request($0, method: method) } ?? .notification(method: method)
            self.content = members.parameters ?? 0..<0
        case (nil, .some(let result), nil):
            guard let id = members.id else { throw PluginLineFault(.invalidRequest, "a result without an id") }
            self.kind = .result(id)
            self.content = result
        case (nil, nil, .some(let error)):
            self.kind = .failure(members.id)
            self.content = error
        default:
            throw PluginLineFault(
                .invalidRequest, id: members.id, "exactly one of method, result and error is needed")
        }
    }

    private static func members(
        _ bytes: Span<UInt8>, of line: ByteBuffer, recalling recall: inout RouteRecall
    ) throws(SpanReader.Fault) -> Members {
        var reader = SpanReader(at: 0, path: "")
        var members = Members()
        var isFirst = true
        try reader.enter(bytes)
        while let name = try reader.nextName(bytes, isFirst: &isFirst) {
            if name.matches("jsonrpc", bytes) {
                members.version = reader.isString(bytes) ? try reader.string("jsonrpc", bytes) : ""
                if members.version == "" { try reader.skip(bytes) }
            } else if name.matches("id", bytes) {
                members.hasID = true
                members.id = try Self.id(&reader, bytes)
            } else if name.matches("method", bytes), reader.isString(bytes) {
                members.method = try reader.string("method", bytes)
            } else if name.matches("params", bytes) {
                let start = reader.scanner.offset
                if members.method == PluginMethod.message.rawValue,
                    let request = try? MessageRequest(&reader.scanner, bytes, of: line, recalling: &recall)
                {
                    members.found = .message(request)
                    members.parameters = start..<reader.scanner.offset
                    continue
                }
                reader.scanner.offset = start
                members.found = nil
                members.parameters = try reader.takeNull(bytes) ? nil : try reader.skip(bytes)
            } else if name.matches("result", bytes) {
                let start = reader.scanner.offset
                if Verdict.begins(at: start, bytes),
                    let verdict = try? Verdict(&reader.scanner, bytes, of: line)
                {
                    members.found = .verdict(verdict)
                    members.result = start..<reader.scanner.offset
                    continue
                }
                reader.scanner.offset = start
                members.found = nil
                members.result = try reader.skip(bytes)
            } else if name.matches("error", bytes) {
                members.error = try reader.takeNull(bytes) ? nil : try reader.skip(bytes)
            } else {
                try reader.skip(bytes)
            }
        }
        do throws(JSONError) { try reader.scanner.finish(bytes) } catch { throw .json(error) }
        return members
    }

    /// An id that may be one; anything else is stepped over.
    private static func id(
        _ reader: inout SpanReader, _ bytes: Span<UInt8>
    ) throws(SpanReader.Fault) -> PluginRequestID? {
        if reader.isString(bytes) { return try reader.string("id", bytes).map { .string($0) } }
        var copy = reader
        if let number = try? copy.int("id", bytes) {
            reader = copy
            return .number(number)
        }
        try reader.skip(bytes)
        return nil
    }

    /// The content as an object; empty when there is none.
    func object(_ kind: PluginLineFault.Kind, id: PluginRequestID?) throws(PluginLineFault) -> JSONObject {
        guard !self.content.isEmpty else { return [:] }
        guard let slice = self.slice else { return [:] }
        let name = kind == .invalidParameters ? "params" : "result"
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(slice)
        } catch {
            throw PluginLineFault(kind, id: id, "\(name): \(error)")
        }
        guard let object = value.objectValue else {
            throw PluginLineFault(kind, id: id, "\(name): should be an object")
        }
        return object
    }

    /// The bytes of the content.
    var slice: ByteBuffer? {
        self.line.getSlice(at: self.line.readerIndex + self.content.lowerBound, length: self.content.count)
    }

    /// The parameters as a type; those of a member when one is named.
    func parameters<Value: WireObject>(
        _: Value.Type = Value.self, of member: String? = nil
    ) throws(SpanReader.Fault) -> Value {
        let object: JSONObject
        do throws(PluginLineFault) {
            object = try self.object(.invalidParameters, id: nil)
        } catch {
            throw .value(PluginWireError("params", error.reason))
        }
        do throws(PluginWireError) {
            let reader = ObjectReader(object, at: "params")
            guard let member else { return try Value(reader) }
            return try Value(try reader.section(member) ?? ObjectReader([:], at: "params.\(member)"))
        } catch {
            throw .value(error)
        }
    }
}

/// The id by which an answer finds its request. Each end of the wire numbers its own.
public enum PluginRequestID: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// A whole number, as the gateway uses.
    case number(Int)
    /// Text.
    case string(String)

    /// A number from a literal.
    public init(integerLiteral value: Int) { self = .number(value) }

    /// A text from a literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// The id of a JSON number that is whole, or of a string; nil for anything else.
    public init?(json: JSONValue?) {
        switch json {
        case .number(let number):
            guard let value = number.intValue else { return nil }
            self = .number(value)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }

    /// The id as it stands in a line.
    public var json: JSONValue {
        switch self {
        case .number(let value): .number(value)
        case .string(let text): .string(text)
        }
    }
}

extension PluginRequestID: WireScalar {
    package static var kind: String { "a whole number or a string" }
    package static var absence: String { "should be \(self.kind)" }
    package static func read(_ value: JSONValue) -> Self? { Self(json: value) }
    package var wireValue: JSONValue { self.json }
}

extension PluginRequestID: CustomStringConvertible {
    /// The id as it stands in a line, for logs.
    public var description: String { self.json.text }
}
