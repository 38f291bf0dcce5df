import CastTransport
import HummingbirdCore
import Logging
import NIOCore

/// HTTP, behind TLS with the certificate that is current when a connection comes in, or without TLS.
struct SetupTLSChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    /// nil for plain HTTP.
    let certificate: CertificateBox?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try self.certificate?.certificate.install(in: channel)
        }.flatMap {
            self.base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await self.base.handle(value: value, logger: logger)
    }
}
