public import GatewayCore
import Synchronization

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

/// A handler that defers every message and leaves its verdicts to the test.
public final class DeferringHandler: MessageHandler {
    /// The handler's name.
    public let name: String
    /// The handler's claims.
    public let claims: [Claim]
    private let taken = Mutex<[(message: RoutedMessage, deferral: Deferral)]>([])

    /// Makes a handler.
    public init(_ name: String, _ claims: [Claim]) {
        self.name = name
        self.claims = claims
    }

    /// Every deferral so far, in order.
    public var deferrals: [Deferral] { self.taken.withLock { $0.map(\.deferral) } }

    /// Every message so far, in order.
    public var messages: [RoutedMessage] { self.taken.withLock { $0.map(\.message) } }

    /// Defers.
    public func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        let deferral = context.deferral()
        self.taken.withLock { $0.append((message, deferral)) }
        return .deferred
    }
}
