import CastTransport
import NIOCore

/// Opens channels to devices; ``CastDialer`` over TCP and TLS.
protocol DeviceDialer {
    /// Dials a device, on the event loop where the delegate lives.
    /// - Returns: the connection, once it stands below TLS.
    func dial(
        host: String, port: Int, on eventLoop: any EventLoop, delegate: any CastConnectionDelegate
    ) -> EventLoopFuture<CastConnection>
}

extension CastDialer: DeviceDialer {}
