import CastTransport
import CastWire

/// What a channel holds of a ``SenderLink``, so that the link goes when nobody else holds it, and the channel after it.
final class SenderLinkOwner: CastConnectionDelegate {
    private weak var link: SenderLink?

    init(_ link: SenderLink) {
        self.link = link
    }

    func connectionReady(_ connection: CastConnection) {
        self.link(of: connection)?.connectionReady(connection)
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.link(of: connection)?.connection(connection, received: message)
    }

    func connectionReadComplete(_ connection: CastConnection) {
        self.link(of: connection)?.connectionReadComplete(connection)
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        self.link?.connectionClosed(connection, reason: reason)
    }

    private func link(of connection: CastConnection) -> SenderLink? {
        if self.link == nil { connection.close("nobody holds the device") }
        return self.link
    }
}
