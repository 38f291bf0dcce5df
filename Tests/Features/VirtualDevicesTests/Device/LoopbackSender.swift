import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore

/// A sender over real TLS.
final class LoopbackSender: CastConnectionDelegate {
    enum Event: Sendable {
        case ready
        case message(CastMessage)
        case closed
    }

    let events = Inbox<Event>()

    func connectionReady(_ connection: CastConnection) { self.events.put(.ready) }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.events.put(.message(message))
    }

    func connectionReadComplete(_ connection: CastConnection) {}

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) { self.events.put(.closed) }
}
