import NIOCore
import NIOSSL

extension CastConnection {
    /// The DER of the certificate that the peer showed, which device authentication is about (protocol notes, 2.5).
    ///
    /// nil when it showed none, when there is no TLS, and once the channel is gone.
    public var peerLeaf: [UInt8]? {
        guard let handler = self.tlsHandler as? NIOSSLClientHandler else { return nil }
        return try? handler.peerCertificate?.toDERBytes()
    }
}
