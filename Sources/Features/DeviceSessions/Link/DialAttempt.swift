import CastTransport
import CastWire
import NIOCore

/// Opens channels to devices; ``CastDialer`` over TCP and TLS.
protocol DeviceDialer {
    /// Dials a device, on the event loop where the delegate lives.
    /// - Parameter patience: how long TCP may take, if that is shorter than the dialer's own limit.
    /// - Returns: the connection, once TCP stands.
    func dial(
        host: String, port: Int, within patience: TimeAmount?, on eventLoop: any EventLoop,
        delegate: any CastConnectionDelegate
    ) -> EventLoopFuture<CastConnection>
}

extension CastDialer: DeviceDialer {}

/// The owner of one channel to a device, from the dial to its end.
///
/// A link dials many times; an attempt of its own for each keeps the end of an old channel from being taken for the end of a
/// new one. A name with several addresses makes one attempt try several channels; those that never stood, or came second,
/// are not reported. On a standby nothing is said before it is chosen.
///
/// The attempt holds link and session until the channel ends: messages go straight to the session, and everything else to
/// the link.
final class DialAttempt: CastConnectionDelegate {
    let address: DeviceAddress
    private var isStandby: Bool
    private var link: DeviceLink?
    private var session: DeviceSession?
    private var connection: CastConnection?
    /// True if TLS stands.
    private(set) var isReady = false
    /// Channels that ended before any was chosen. They are held so that none of them is taken for a later one at the same
    /// place in memory.
    private var ended: [CastConnection] = []

    init(link: DeviceLink, session: DeviceSession, address: DeviceAddress, isStandby: Bool = false) {
        self.link = link
        self.session = session
        self.address = address
        self.isStandby = isStandby
    }

    /// It is the one in use now; what it has reached already is reported to the link.
    func choose() {
        self.isStandby = false
        if self.isReady, let connection { self.link?.channelReady(connection) }
    }

    /// No address could be reached.
    func failed(_ reason: String) {
        let link = self.finish()
        if self.isStandby { link?.standbyFailed() } else { link?.dialFailed(reason) }
    }

    /// Hangs up, whatever has been reached; the link is not told.
    func abandon(_ reason: String) {
        let connection = self.connection
        _ = self.finish()
        connection?.close(reason)
    }

    /// TCP stands on this channel, so it is the one.
    func connected(_ connection: CastConnection) {
        guard self.link != nil else { return connection.close("the device is dialled elsewhere") }
        guard self.connection == nil else { return }
        self.connection = connection
        let hasEnded = self.ended.contains { $0 === connection }
        self.ended = []
        if hasEnded { self.failed("closed by the device") }
    }

    func connectionReady(_ connection: CastConnection) {
        self.connected(connection)
        guard connection === self.connection else { return }
        self.isReady = true
        if self.isStandby { self.link?.standbyReady() } else { self.link?.channelReady(connection) }
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        if !self.isStandby { self.session?.received(message) }
    }

    func connectionReadComplete(_ connection: CastConnection) {
        if !self.isStandby { self.session?.readComplete() }
    }

    func connectionWritabilityChanged(_ connection: CastConnection) {
        if !self.isStandby { self.session?.writabilityChanged(connection.isWritable) }
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        guard let chosen = self.connection else {
            self.ended.append(connection)
            return
        }
        guard chosen === connection else { return }
        if self.isReady, !self.isStandby {
            let link = self.finish()
            link?.channelClosed(reason)
        } else {
            self.failed(reason?.description ?? "closed by the device")
        }
    }

    /// Releases everything, so that the end is reported once.
    private func finish() -> DeviceLink? {
        defer {
            self.link = nil
            self.session = nil
            self.connection = nil
            self.ended = []
        }
        return self.link
    }
}
