import CastWire
import GatewayConfig
import NIOCore
import PluginKit

/// The readers of a plugin's wire: `castway plugin trace`.
struct PluginTraces {
    enum Direction: String {
        case toPlugin = "to_plugin"
        case fromPlugin = "from_plugin"
    }

    private var readers: [Int: AsyncStream<String>.Continuation] = [:]

    private(set) var isActive = false

    mutating func add(_ id: Int, _ reader: AsyncStream<String>.Continuation) {
        self.readers[id] = reader
        self.isActive = true
    }

    mutating func remove(_ id: Int) {
        self.readers[id] = nil
        self.isActive = !self.readers.isEmpty
    }

    /// Gives every reader a line, as JSON in one line; a slow reader loses its oldest.
    func record(_ direction: Direction, _ buffer: ByteBuffer, from start: Int? = nil) {
        let start = start ?? buffer.readerIndex
        var text = buffer.getString(at: start, length: buffer.writerIndex - start) ?? ""
        if text.hasSuffix("\n") { text.removeLast() }
        let now = NIODeadline.now().uptimeNanoseconds / 1_000
        let json: JSONObject = [
            "uptime_us": .number(Int(now)), "direction": .string(direction.rawValue), "line": .string(text),
        ]
        let line = JSONValue.object(json).text + "\n"
        for reader in self.readers.values { reader.yield(line) }
    }

    mutating func finish() {
        for reader in self.readers.values { reader.finish() }
        self.readers = [:]
        self.isActive = false
    }
}

extension GatewayLine {
    /// The line for traces, when it holds a configuration: with secrets hidden. Nil for all others.
    var hidingSecrets: GatewayLine? {
        switch self {
        case .initialize(let id, var request):
            request.config = request.config.hidingSecrets
            return .initialize(id, request)
        case .operation(let id, var call):
            call.input = call.input.hidingSecrets
            return .operation(id, call)
        case .reload(let id, var request):
            request.config = request.config.hidingSecrets
            return .reload(id, request)
        default: return nil
        }
    }
}

extension ByteBuffer {
    /// A plugin's line for traces: that of an operation of the gateway has its secrets hidden, and every other is as it came.
    fileprivate var callWithoutSecrets: JSONObject? {
        guard var line = (try? JSONReader.read(self))?.objectValue,
            line.string("method") == PluginMethod.gatewayCall.rawValue, let parameters = line["params"]
        else { return nil }
        line["params"] = parameters.hidingSecrets
        return line
    }

    /// A plugin's line as traces show it.
    var hidingSecretsOfCalls: ByteBuffer {
        self.callWithoutSecrets.map { ByteBuffer(string: JSONValue.object($0).text) } ?? self
    }
}

extension RPCResponse {
    /// The answer to an operation of the gateway for traces; nil for a refusal.
    var hidingSecrets: RPCResponse? {
        guard let id, let result = try? self.object() else { return nil }
        return RPCResponse(id, result: result.hidingSecrets)
    }
}

extension JSONObject {
    fileprivate var hidingSecrets: JSONObject {
        JSONObject(
            self.members.map { name, value in
                (name, Secret.isNamed(name) ? .string(Secret.redacted) : value.hidingSecrets)
            })
    }
}
