public import GatewayCore
import Synchronization

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
