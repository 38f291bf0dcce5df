import CastTransport
import NIOCore

/// Opens channels to devices; ``CastDialer`` over TCP and TLS.
protocol DeviceDialer {
    /// Dials a device, on the event loop where the delegate lives.
    /// - Parameter patience: how long TCP may take, if that is shorter than the dialer's own limit.
    /// - Returns: the connection, once it stands below TLS.
    func dial(
        host: String, port: Int, within patience: TimeAmount?, on eventLoop: any EventLoop,
        delegate: any CastConnectionDelegate
    ) -> EventLoopFuture<CastConnection>
}

extension CastDialer: DeviceDialer {}
