import CastTransport
import CastWire

/// Tells a test what happens to a connection on a real event loop.
final class StreamingDelegate: CastConnectionDelegate {
    enum Event: Equatable, Sendable {
        case ready(leaf: [UInt8]?)
        case received(CastMessage)
        case closed(TransportError?)
    }

    private let input: AsyncStream<Event>.Continuation
    private let onReady: @Sendable (CastConnection) -> Void
    private let answer: @Sendable (CastMessage) -> CastMessage?

    init(
        _ input: AsyncStream<Event>.Continuation, onReady: @escaping @Sendable (CastConnection) -> Void = { _ in },
        answer: @escaping @Sendable (CastMessage) -> CastMessage? = { _ in nil }
    ) {
        self.input = input
        self.onReady = onReady
        self.answer = answer
    }

    func connectionReady(_ connection: CastConnection) {
        self.input.yield(.ready(leaf: connection.servedLeaf))
        self.onReady(connection)
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.input.yield(.received(message))
        if let answer = self.answer(message) { connection.send(answer) }
    }

    func connectionReadComplete(_ connection: CastConnection) {}

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        self.input.yield(.closed(reason))
    }
}
