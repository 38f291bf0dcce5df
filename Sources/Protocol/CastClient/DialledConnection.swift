import CastTransport
import CastWire
import NIOCore
import NIOPosix

/// The connection that one dial of a ``DeviceChannel`` brings.
///
/// A name with several addresses makes the dial try several connections. The first on which TCP stands is the device's; the
/// end of the others, which comes before that or after it, ends nothing. The channel is referenced weakly: it goes when its
/// device is released, and closes the connection then.
final class DialledConnection: CastConnectionDelegate {
    private weak var channel: DeviceChannel?
    private var chosen: CastConnection?
    /// Connections that ended before any was chosen. They are held so that none of them is taken for a later one at the same
    /// place in memory.
    private var ended: [(connection: CastConnection, reason: TransportError?)] = []

    init(of channel: DeviceChannel) {
        self.channel = channel
    }

    /// TCP stands on this connection, so it is the one.
    func connected(_ connection: CastConnection) {
        guard self.chosen == nil else { return }
        self.chosen = connection
        let end = self.ended.first { $0.connection === connection }
        self.ended = []
        if let end { self.channel?.closed(end.reason) }
    }

    func connectionReady(_ connection: CastConnection) {
        self.connected(connection)
        guard connection === self.chosen else { return }
        self.channel(of: connection)?.opened(connection)
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        guard connection === self.chosen else { return }
        self.channel(of: connection)?.received(message)
    }

    func connectionReadComplete(_ connection: CastConnection) {
        connection.flush()
    }

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        guard let chosen else { return self.ended.append((connection, reason)) }
        if chosen === connection { self.channel?.closed(reason) }
    }

    private func channel(of connection: CastConnection) -> DeviceChannel? {
        if self.channel == nil { connection.close("the device was released") }
        return self.channel
    }
}

extension DialledConnection {
    /// Why a channel could not be opened, without the names of system calls.
    static func text(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError where !error.connectionErrors.isEmpty:
            return Self.text(of: error.connectionErrors[0].error)
        case ChannelError.connectTimeout(let time): return "no answer within \(Double(time.nanoseconds) / 1e9) s"
        default: return TransportError.text(of: error)
        }
    }
}
