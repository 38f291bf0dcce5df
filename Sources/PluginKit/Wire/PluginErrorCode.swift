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
    /// Whoever was asked failed.
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
    /// The configuration makes no sense to the plugin; the data says where.
    public static let configurationInvalid = Self(rawValue: -32010)

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
        case .configurationInvalid: "config_invalid"
        default: "error_\(self.rawValue)"
        }
    }
}
