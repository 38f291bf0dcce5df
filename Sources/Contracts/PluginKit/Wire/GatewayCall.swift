public import CastWire

/// An operation of the gateway that a plugin wants done.
public struct GatewayCall: Hashable, Sendable {
    /// The operation: `media.seek`.
    public var operation: String
    /// What it takes.
    public var input: JSONObject
    /// How long to wait for the outcome of a command; nil for as long as the gateway lets callers wait.
    public var wait: Duration?
    /// A second call with the same key is answered as the first.
    public var idempotencyKey: String?

    /// Puts a call together.
    public init(operation: String, input: JSONObject = [:], wait: Duration? = nil, idempotencyKey: String? = nil) {
        self.operation = operation
        self.input = input
        self.wait = wait
        self.idempotencyKey = idempotencyKey
    }
}

extension GatewayCall: WireRecord {
    package static let blank = Self(operation: "")

    package static let members: [Member] = [
        .required("operation", \.operation), Member("input", \.input), .optional("waitMs", \.wait),
        .optional("idempotencyKey", \.idempotencyKey),
    ]

    package func check(_ reader: ObjectReader) throws(PluginWireError) {
        guard self.wait ?? .zero <= .seconds(10) else { throw reader.fault("waitMs", "should be 0 to 10000") }
        let key = self.idempotencyKey?.utf8
        guard key.map({ (1...255).contains($0.count) && $0.allSatisfy { (0x21...0x7E).contains($0) } }) ?? true else {
            throw reader.fault("idempotencyKey", "should be 1 to 255 visible ASCII characters")
        }
    }
}

/// What the gateway answers to a ``GatewayCall`` that it has carried out.
public struct GatewayCallResult: Hashable, Sendable {
    /// 200 or 201; 202 when a command goes on, and the result is its request.
    public var status: Int
    /// What the operation answers.
    public var result: JSONObject

    /// Makes a result.
    public init(status: Int = 200, result: JSONObject) {
        self.status = status
        self.result = result
    }
}

extension GatewayCallResult: WireRecord {
    package static let blank = Self(result: [:])

    package static let members: [Member] = [Member("status", \.status), Member("result", \.result)]
}
