public import CastWire

/// A caller of the gateway wants an operation done that the plugin's manifest declares.
public struct OperationCall: Hashable, Sendable {
    /// Who asks.
    public struct Caller: Hashable, Sendable {
        /// The name of its token, `admin`, `loopback`, or `plugin:NAME`.
        public var name: String
        /// What it may do: `read`, `control`, `messages`, `credentials`, `admin`.
        public var scopes: [String]

        /// Names a caller.
        public init(name: String, scopes: [String] = []) {
            self.name = name
            self.scopes = scopes
        }
    }

    /// The gateway's id of the call, such as `c-7`: progress, a later outcome and an abort name it.
    public var id: String
    /// The operation, as the manifest calls it.
    public var operation: String
    /// What the caller sent, checked against the manifest's keys, with their defaults.
    public var input: JSONObject
    /// Who asks.
    public var caller: Caller
    /// How much time is left for the outcome.
    public var deadline: Duration
    /// The id of the request that the call is; nil when the operation is no command.
    public var request: String?

    /// Puts a call together.
    public init(
        id: String, operation: String, input: JSONObject = [:], caller: Caller, deadline: Duration,
        request: String? = nil
    ) {
        self.id = id
        self.operation = operation
        self.input = input
        self.caller = caller
        self.deadline = deadline
        self.request = request
    }
}

extension OperationCall: WireRecord {
    package static let blank = Self(id: "", operation: "", caller: Caller(name: ""), deadline: .seconds(10))

    package static let members: [Member] = [
        .required("call", \.id), .required("operation", \.operation), Member("input", \.input),
        .required("caller", \.caller), Member("deadlineMs", \.deadline), .optional("request", \.request),
    ]
}

extension OperationCall.Caller: WireRecord {
    package static let blank = Self(name: "")

    package static let members: [Member] = [.required("name", \.name), Member("scopes", \.scopes)]
}

/// The plugin's answer to a call.
package enum OperationOutcome: Hashable, Sendable {
    /// It is done, with what the operation answers.
    case done(JSONObject)
    /// It is being done: ``OperationCompletion`` or ``OperationFailureNotice`` says what came of it.
    case pending
}

extension OperationOutcome: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        if reader.object["pending"] == .bool(true) {
            self = .pending
        } else {
            self = .done(try reader.required("result"))
        }
    }

    package var json: JSONObject {
        switch self {
        case .done(let result): ["result": .object(result)]
        case .pending: ["pending": true]
        }
    }
}

/// How far a call is.
public struct OperationProgress: Hashable, Sendable {
    /// The call.
    public var call: String
    /// How much is done, from 0 to 1; nil when that is not known.
    public var fraction: Double?
    /// What is being done, for people.
    public var text: String?

    /// Says how far a call is.
    public init(call: String, fraction: Double? = nil, text: String? = nil) {
        self.call = call
        self.fraction = fraction
        self.text = text
    }
}

extension OperationProgress: WireRecord {
    package static let blank = Self(call: "")

    package static let members: [Member] = [
        .required("call", \.call), .optional("fraction", \.fraction), .optional("text", \.text),
    ]

    package func check(_ reader: ObjectReader) throws(PluginWireError) {
        guard (0...1).contains(self.fraction ?? 0) else { throw reader.fault("fraction", "should be 0 to 1") }
    }
}

/// A call that was pending is done.
public struct OperationCompletion: Hashable, Sendable {
    /// The call.
    public var call: String
    /// What the operation answers.
    public var result: JSONObject

    /// Says what came of a call.
    public init(call: String, result: JSONObject) {
        self.call = call
        self.result = result
    }
}

extension OperationCompletion: WireRecord {
    package static let blank = Self(call: "", result: [:])

    package static let members: [Member] = [.required("call", \.call), Member("result", \.result)]
}

/// Why a plugin does not do what a caller wants. Thrown by ``CastPlugin/operate(_:)``.
public struct OperationFailure: Error, Hashable, Sendable {
    /// The code of a problem that the manifest declares for the operation.
    public var code: String
    /// What is wrong, for people.
    public var message: String
    /// Further members of the problem.
    public var members: JSONObject

    /// Describes a failure.
    public init(_ code: String, _ message: String, members: JSONObject = [:]) {
        self.code = code
        self.message = message
        self.members = members
    }
}

extension OperationFailure: WireRecord {
    package static let blank = Self("failed", "")

    package static let members: [Member] = [
        .required("code", \.code), Member("message", \.message), .unlessDefault("members", \.members),
    ]

    /// The failure as the error that answers a call.
    package var error: PluginRPCError {
        var data: JSONObject = ["code": .string(self.code)]
        if !self.members.members.isEmpty { data["members"] = .object(self.members) }
        return PluginRPCError(.operationFailed, self.message, data: .object(data))
    }

    /// The failure that an error means; nil for one of another kind.
    package init?(_ error: PluginRPCError) {
        guard error.code == .operationFailed else { return nil }
        let data = error.data?.objectValue ?? [:]
        self.init(data.string("code") ?? "failed", error.message, members: data.object("members") ?? [:])
    }
}

/// A call that was pending has failed.
public struct OperationFailureNotice: Hashable, Sendable {
    /// The call.
    public var call: String
    /// Why.
    public var failure: OperationFailure

    /// Says why a call failed.
    public init(call: String, failure: OperationFailure) {
        self.call = call
        self.failure = failure
    }
}

extension OperationFailureNotice: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(call: try reader.required("call"), failure: try OperationFailure(reader))
    }

    package var json: JSONObject {
        JSONObject([("call", .string(self.call))] + self.failure.json.members.map { ($0.name, $0.value) })
    }
}

/// The outcome of a call is not awaited any more.
public struct OperationAbort: Hashable, Sendable {
    /// The call.
    public var call: String
    /// `cancelled`: the caller took it back, or the gateway stops; `deadline`: its time is over.
    public var reason: String

    /// Takes a call back.
    public init(call: String, reason: String) {
        self.call = call
        self.reason = reason
    }
}

extension OperationAbort: WireRecord {
    package static let blank = Self(call: "", reason: "cancelled")

    package static let members: [Member] = [.required("call", \.call), Member("reason", \.reason)]
}
