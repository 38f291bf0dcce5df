import CastTransport
import CastWire

/// The owner of one channel to a device, from the dial to its end.
///
/// It may be there in case that another channel is lost: then nobody speaks on it before it is chosen. A session dials many times; an attempt of its own for each keeps the end of an old channel from being taken for
/// the end of a new one. A name with several addresses makes one attempt try several channels; those that never
/// stood, or came second, say nothing to the session.
final class DialAttempt: CastConnectionDelegate {
    let address: DeviceAddress
    /// True while another channel is in use.
    private(set) var isStandby: Bool
    private var session: DeviceSession?
    private var connection: CastConnection?
    /// Whether TLS stands.
    private(set) var isReady = false
    /// Channels that ended before any was chosen.
    private var ended: [ObjectIdentifier] = []

    init(session: DeviceSession, address: DeviceAddress, isStandby: Bool = false) {
        self.session = session
        self.address = address
        self.isStandby = isStandby
    }

    /// It is the one in use now; what it has reached already is told to the session.
    func choose() {
        self.isStandby = false
        if self.isReady, let connection { self.session?.channelReady(connection) }
    }

    /// No address could be reached.
    func failed(_ reason: String) {
        let session = self.finish()
        if self.isStandby { session?.standbyFailed() } else { session?.dialFailed(reason) }
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
        if self.isStandby { self.session?.standbyReady() } else { self.session?.channelReady(connection) }
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        if !self.isStandby { self.session?.channelReceived(message) }
    }

    func connectionReadComplete(_ connection: CastConnection) {
        if !self.isStandby { self.session?.channelReadComplete() }
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        guard let chosen = self.connection else {
            self.ended.append(ObjectIdentifier(connection))
            return
        }
        guard chosen === connection else { return }
        if self.isReady, !self.isStandby {
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
