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
