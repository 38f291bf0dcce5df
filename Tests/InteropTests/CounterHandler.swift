import CastWire
import GatewayCore
import Synchronization

/// A handler that Castway does not know: answers every message of its namespace with the next number.
final class CounterHandler: MessageHandler {
    static let namespace: Namespace = "urn:x-cast:com.example.counter"

    let name = "counter"
    let claims: [Claim]
    private let sequence = Atomic(0)

    /// - Parameter device: the virtual device whose messages it answers.
    init(device: String) {
        self.claims = [Claim(.exact(Self.namespace), devices: [device])]
    }

    /// How many messages it has answered.
    var count: Int { self.sequence.load(ordering: .acquiring) }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        let number = self.sequence.add(1, ordering: .acquiringAndReleasing).newValue
        return .reply([
            "type": "COUNTED", "requestId": message.summary.requestID?.json ?? .null, "sequence": .number(number),
        ])
    }
}
