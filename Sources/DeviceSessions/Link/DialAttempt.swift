import CastTransport
import CastWire

/// The owner of one channel to a device, from the dial to its end.
///
/// A session dials many times; an attempt of its own for each keeps the end of an old channel from being taken for
/// the end of a new one. A name with several addresses makes one attempt try several channels; those that never
/// stood, or came second, say nothing to the session.
final class DialAttempt: CastConnectionDelegate {
    private var session: DeviceSession?
    private var connection: CastConnection?
    private var isReady = false
    /// Channels that ended before any was chosen.
    private var ended: [ObjectIdentifier] = []

    init(session: DeviceSession) {
        self.session = session
    }

    /// No address could be reached.
    func failed(_ reason: String) {
        let session = self.finish()
        session?.dialFailed(reason)
    }

    /// Hangs up, whatever has been reached; the session is not told.
    func abandon(_ reason: String) {
        let connection = self.connection
        _ = self.finish()
        connection?.close(reason)
    }

    /// TCP stands on this channel, so it is the one.
    func connected(_ connection: CastConnection) {
        guard self.session != nil else { return connection.close("the device is dialled elsewhere") }
        guard self.connection == nil else { return }
        self.connection = connection
        if self.ended.contains(ObjectIdentifier(connection)) { self.failed("closed by the device") }
    }

    func connectionReady(_ connection: CastConnection) {
        self.connected(connection)
        guard connection === self.connection else { return }
        self.isReady = true
        self.session?.channelReady(connection)
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.session?.channelReceived(message)
    }

    func connectionReadComplete(_ connection: CastConnection) {
        self.session?.channelReadComplete()
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        guard let chosen = self.connection else {
            self.ended.append(ObjectIdentifier(connection))
            return
        }
        guard chosen === connection else { return }
        if self.isReady {
            let session = self.finish()
            session?.channelClosed(reason)
        } else {
            self.failed(reason?.description ?? "closed by the device")
        }
    }

    /// Lets go of everything: the session is told once, whoever says it first.
    private func finish() -> DeviceSession? {
        defer {
            self.session = nil
            self.connection = nil
            self.ended = []
        }
        return self.session
    }
}
