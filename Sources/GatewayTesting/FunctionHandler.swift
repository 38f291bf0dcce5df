public import GatewayCore

/// A handler made from a function.
public struct FunctionHandler: MessageHandler {
    /// The handler's name.
    public let name: String
    /// The handler's claims.
    public let claims: [Claim]
    private let body: @Sendable (RoutedMessage, HandlerContext) throws -> Verdict

    /// Makes a handler.
    /// - Parameter body: called for each message, on the router's event loop.
    public init(
        _ name: String, _ claims: [Claim],
        body: @escaping @Sendable (_ message: RoutedMessage, _ context: HandlerContext) throws -> Verdict
    ) {
        self.name = name
        self.claims = claims
        self.body = body
    }

    /// Calls the function.
    public func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
        try self.body(message, context)
    }
}
