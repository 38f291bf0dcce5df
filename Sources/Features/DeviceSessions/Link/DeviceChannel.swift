import CastTransport
import CastWire
import NIOCore

/// The channel in use to a device, as the parts that write to it see it; ``DeviceLink`` sets how far it has come.
///
/// There are three properties rather than a channel and a state, since every relayed message reads ``online``: one load
/// tells whether there is a channel, and which.
final class DeviceChannel {
    /// The channel from the TLS handshake on.
    private(set) var secured: CastConnection?
    /// The same once the device has proved itself, as far as that is asked of it: from then on messages may be sent.
    private(set) var open: CastConnection?
    /// The same once the device has answered a request; nil while the device is out of reach.
    private(set) var online: CastConnection?
    private var needsFlush = false

    var isOnline: Bool { self.online != nil }

    /// True if the device takes what it is sent; true while it is out of reach.
    var isWritable: Bool { self.online?.isWritable ?? true }

    /// The device's address, as it is reached now; nil while it is out of reach.
    var deviceAddress: SocketAddress? { self.online?.endpoints?.remote }

    // MARK: For the link

    func took(_ connection: CastConnection) {
        self.secured = connection
    }

    func opened() {
        self.open = self.secured
    }

    /// - Returns: false when the channel is not open, or was online already.
    func answered() -> Bool {
        guard let open, self.online == nil else { return false }
        self.online = open
        return true
    }

    /// The link is stopped: nothing is sent any more, though the channel is not gone yet.
    func stopped() {
        self.open = nil
        self.online = nil
    }

    /// The channel is gone, or about to go.
    func closed() {
        self.secured = nil
        self.stopped()
        self.needsFlush = false
    }

    // MARK: For the parts that write to it

    /// Queues a message for the device; it leaves at the next ``flush()``. Lost unless the channel is open.
    /// - Returns: false when it is too large for a frame.
    @discardableResult
    func send(_ message: CastMessage) -> Bool {
        guard let open else { return true }
        self.needsFlush = true
        return open.send(message)
    }

    /// Queues a message under other names on the connection that ``online`` gave.
    /// - Returns: false when it is too large for a frame.
    func send(_ message: CastMessage, as names: MessageNames, on online: CastConnection) -> Bool {
        self.needsFlush = true
        return online.send(message, as: names)
    }

    /// Lets everything leave that was queued since the last time.
    func flush() {
        guard self.needsFlush else { return }
        self.needsFlush = false
        self.secured?.flush()
    }

    func close(_ reason: String) {
        self.secured?.close(reason)
    }
}
