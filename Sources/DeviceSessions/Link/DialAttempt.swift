import CastTransport
import CastWire

/// The owner of one channel to a device, from the dial to its end.
///
/// A session dials many times; an attempt of its own for each keeps the end of an old channel from being taken for
/// the end of a new one.
final class DialAttempt: CastConnectionDelegate {
    private var session: DeviceSession?
    private var isReady = false
    /// The channel holds its owner weakly, so the attempt holds itself until the channel is gone.
    private var whileOpen: DialAttempt?

    init(session: DeviceSession) {
        self.session = session
        self.whileOpen = self
    }

    /// There is no channel, or none any more that became ready. The session is told once, whoever says it first.
    func failed(_ reason: String) {
        self.session?.dialFailed(reason)
        self.session = nil
        self.whileOpen = nil
    }

    func connectionReady(_ connection: CastConnection) {
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
        guard self.isReady else { return self.failed(reason?.description ?? "closed by the device") }
        self.session?.channelClosed(reason)
        self.session = nil
        self.whileOpen = nil
    }
}
