public import CastWire

/// The answer to a request that could not be met.
public struct PluginRPCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    public var code: PluginErrorCode
    /// What went wrong, for people.
    public var message: String
    /// More, by the code.
    public var data: JSONValue?

    /// Makes an error.
    public init(_ code: PluginErrorCode, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The configuration makes no sense.
    /// - Parameter problems: what, and where.
    public static func configurationInvalid(_ problems: [ConfigurationProblem]) -> Self {
        let errors = problems.map { JSONValue.object($0.json) }
        let first = problems.first.map { ": \($0.path) \($0.message)" } ?? ""
        return Self(.configurationInvalid, "invalid configuration\(first)", data: ["errors": .array(errors)])
    }

    /// What is wrong in the configuration, and where; empty for other errors, and what is malformed is left out.
    public var configurationProblems: [ConfigurationProblem] {
        guard self.code == .configurationInvalid else { return [] }
        return (self.data?.objectValue?.array("errors") ?? []).compactMap { element in
            guard let object = element.objectValue else { return nil }
            return try? ConfigurationProblem(ObjectReader(object))
        }
    }

    /// Name of the code, and the message.
    public var description: String { "\(self.code.name): \(self.message)" }
}

extension PluginRPCError: WireRecord {
    package static let blank = Self(.internalError, "")

    package static let members: [Member] = [
        .required("code", \.code), Member("message", \.message), .optional("data", \.data),
    ]
}

/// What went wrong with a request, as a number on the wire: JSON-RPC 2.0 section 5.1, and the gateway's own.
public struct PluginErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Makes a code from its number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The line is no JSON.
    public static let parseError = Self(rawValue: -32700)
    /// The line is no request.
    public static let invalidRequest = Self(rawValue: -32600)
    /// There is no such method.
    public static let methodNotFound = Self(rawValue: -32601)
    /// The parameters are not what the method takes.
    public static let invalidParameters = Self(rawValue: -32602)
    /// The end that was asked failed.
    public static let internalError = Self(rawValue: -32603)
    /// The grant in `gateway.yaml` does not cover it.
    public static let notGranted = Self(rawValue: -32001)
    /// Too early, or too late: not started, or draining.
    public static let notReady = Self(rawValue: -32002)
    /// The time for it is over.
    public static let deadline = Self(rawValue: -32003)
    /// Longer than may be.
    public static let tooLarge = Self(rawValue: -32004)
    /// Too much is being done.
    public static let busy = Self(rawValue: -32005)
    /// No such device, session or app.
    public static let unknownTarget = Self(rawValue: -32006)
    /// The app does not list the namespace, and no handler answers in it.
    public static let unsupportedNamespace = Self(rawValue: -32007)
    /// The configuration makes no sense to the plugin; the data says where.
    public static let configurationInvalid = Self(rawValue: -32010)
    /// The operation was not done; `data.code` says why, in a word that the manifest declares.
    public static let operationFailed = Self(rawValue: -32011)

    /// The code's name, for logs and metrics.
    public var name: String {
        switch self {
        case .parseError: "parse_error"
        case .invalidRequest: "invalid_request"
        case .methodNotFound: "method_not_found"
        case .invalidParameters: "invalid_params"
        case .internalError: "internal_error"
        case .notGranted: "not_granted"
        case .notReady: "not_ready"
        case .deadline: "deadline"
        case .tooLarge: "too_large"
        case .busy: "busy"
        case .unknownTarget: "unknown_target"
        case .unsupportedNamespace: "unsupported_namespace"
        case .configurationInvalid: "config_invalid"
        case .operationFailed: "operation_failed"
        default: "error_\(self.rawValue)"
        }
    }
}

extension PluginErrorCode: WireScalar {
    package static var kind: String { Int.kind }
    package static func read(_ value: JSONValue) -> Self? { value.intValue.map(Self.init(rawValue:)) }
    package var wireValue: JSONValue { .number(self.rawValue) }
}

/// One thing that a plugin cannot make sense of in its configuration.
public struct ConfigurationProblem: Error, Hashable, Sendable {
    /// Where, as a JSON pointer (RFC 6901) into the plugin's `config`: `/points_per_minute`; empty for all of it.
    public var path: String
    /// What is wrong, for people.
    public var message: String
    /// What could be written instead.
    public var suggestion: String?

    /// Describes a problem.
    public init(path: String, message: String, suggestion: String? = nil) {
        self.path = path
        self.message = message
        self.suggestion = suggestion
    }
}

extension ConfigurationProblem: WireRecord {
    package static let blank = Self(path: "", message: "")

    package static let members: [Member] = [
        .required("path", \.path), .required("message", \.message), .optional("suggestion", \.suggestion),
    ]
}
