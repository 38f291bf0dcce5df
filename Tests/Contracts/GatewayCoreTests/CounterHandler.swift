import CastWire
import GatewayCore
import Synchronization

final class CounterHandler: MessageHandler {
    let name = "counter"
    let claims = [Claim(.exact("urn:x-cast:com.example.counter"))]
    private let count = Mutex(0)

    func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
        let number = self.count.withLock { count in
            count += 1
            return count
        }
        let requestID = message.summary.requestID?.json ?? .null
        return .reply(["type": "COUNTED", "requestId": requestID, "number": .number(number)])
    }
}
